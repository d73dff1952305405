export const databaseUrl = () => process.env.DATABASE_URL;
