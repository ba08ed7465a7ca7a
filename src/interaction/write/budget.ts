/** The most findings that an answer lists. */
export const mostIssues = 100;

/** Values that checks of one request may look at: many times what fits into a body, so that a hostile one blocks no others for long. */
export const validationBudget = 500_000;
