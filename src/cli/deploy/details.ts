/** The help text of the commands that print files for a deployment. */
export const deployDetails = `Nothing is written or started. Settings that are given, as flags, variables or in a
file, are printed as variables; others have what the target needs. Secrets are never printed: the first
lines name the files or objects that hold them. \`issuers\` of a settings file are not printed; mount the
file and set CRS_CONFIG.`;
