/**
 * Modes of files and folders that hold health data: only their owner reads them, whatever the umask. Windows has no
 * such bits.
 */
export const ownerOnly = { file: 0o600, folder: 0o700 } as const;
