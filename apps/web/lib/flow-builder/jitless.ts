/** Import before any schema is created in the browser: zod would try to compile it with eval, which the pages' policy blocks. */
import { z } from 'zod';

z.config({ jitless: true });
