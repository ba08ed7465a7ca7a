/**
 * Modes of files and folders with health data: readable by their owner only, whatever the umask. Windows has no such
 * bits.
 */
export const ownerOnly = { file: 0o600, folder: 0o700 } as const;
