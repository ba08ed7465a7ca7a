import type { ChainPlace } from '../audit/line.ts';
import type { AuditDamage } from '../audit/verify.ts';
import type { AttachmentFinding } from '../port/blobs.ts';
import type { StoreFinding } from '../port/transfer.ts';
import type { Manifest } from './manifest.ts';

/** A store that can be copied into a folder while other processes use it. */
export interface BackupSource {
  readonly chains: ChainPlace;
  /** The public URL of the server that last used the store. */
  readonly publicUrl: string | undefined;
  /** Throws `StoreRefused` if the folder cannot be used for a backup; nothing in it is then mistaken for one. */
  backup(options: BackupOptions): Promise<BackupResult>;
  close(): void;
}

export interface BackupOptions {
  /** The folder of the backup: new, or empty. */
  readonly folder: string;
  /** An older backup, whose unchanged files are linked instead of copied. */
  readonly previous?: string | undefined;
  /** Bytes per second; Infinity for no limit. */
  readonly pace: number;
  readonly progress: (step: BackupStep) => void;
}

/** The progress of a backup or a restore, in bytes. */
export interface BackupStep {
  readonly part: 'database' | 'attachments' | 'audit' | 'database digest' | 'database check' | 'attachments check';
  readonly done: number;
  readonly of: number;
}

/** Damage that was found in a copy. */
export type BackupFinding =
  | ({ readonly in: 'database' } & StoreFinding)
  | ({ readonly in: 'attachments'; readonly partition: string } & AttachmentFinding)
  | ({ readonly in: 'audit' } & AuditDamage);

export interface BackupResult {
  readonly manifest: Manifest;
  /** Damage in the copy that the store has too. */
  readonly findings: readonly BackupFinding[];
  /** Attachments that the older backup had. */
  readonly linked: number;
}

export interface RestoreOptions {
  /** The folder of the backup. */
  readonly folder: string;
  readonly progress: (step: BackupStep) => void;
  /** Runs the last step, which completes the store, between two audit events of the restored log. */
  readonly audited: (store: RestoredStore, lastStep: () => Promise<void>) => Promise<void>;
}

export interface RestoredStore {
  readonly chains: ChainPlace;
  readonly publicUrl: string | undefined;
  readonly manifest: Manifest;
}

export interface RestoreResult {
  readonly manifest: Manifest;
  readonly findings: readonly BackupFinding[];
}
