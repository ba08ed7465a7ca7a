const day = 86_400_000;

/** How long attachments without a record stay in place, in milliseconds; then a sweep moves them to the trash. */
export const grace = 7 * day;

/** How long they stay in the trash, in milliseconds; then a sweep deletes them. */
export const trashTime = 7 * day;

/** The age of attachments without a record at which `verify` reports that no sweep has taken them, in milliseconds. */
export const overdue = grace + day;
