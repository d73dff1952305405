const DAY_MS = 86_400_000;

/** For how long the overview and the checklist show a failed delivery, unless it is sent again. */
export const FAILED_DELIVERY_DAYS = 7;

export const failedDeliveriesSince = (now: Date): Date =>
  new Date(now.getTime() - FAILED_DELIVERY_DAYS * DAY_MS);
