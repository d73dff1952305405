/** Imported before any schema is made in the browser: the pages' policy lets nothing be compiled from text, which zod would try first. */
import { z } from 'zod';

z.config({ jitless: true });
