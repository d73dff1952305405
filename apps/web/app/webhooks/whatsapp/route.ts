export { receiveWebhook as POST, verifySubscription as GET } from '#lib/whatsapp/direct-ingress.ts';

export const dynamic = 'force-dynamic';
