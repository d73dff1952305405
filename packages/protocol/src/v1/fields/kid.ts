/** The ID of a signing key, as in the header of every token that it signs. */
export const KID_MAX_CHARS = 64;
export const KID = /^[A-Za-z0-9._-]{1,64}$/;
