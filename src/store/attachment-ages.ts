const day = 86_400_000;

/** How long bytes without a record stay where they are, in milliseconds; then a sweep moves them to the trash. */
export const grace = 7 * day;

/** How long they stay in the trash, in milliseconds; then a sweep deletes them. */
export const trashTime = 7 * day;

/** How long bytes may have no record, in milliseconds, until `verify` reports that no sweep has taken them. */
export const overdue = grace + day;
