import { sendFile } from '#lib/api/send-file.ts';

export const dynamic = 'force-dynamic';

export const GET = sendFile;
export const HEAD = sendFile;
