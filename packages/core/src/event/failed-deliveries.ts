const DAY_MS = 86_400_000;

/** A failed delivery is pointed out for so long, unless it is sent again: by the overview and the checklist alike. */
export const FAILED_DELIVERY_DAYS = 7;

export const failedDeliveriesSince = (now: Date): Date =>
  new Date(now.getTime() - FAILED_DELIVERY_DAYS * DAY_MS);
