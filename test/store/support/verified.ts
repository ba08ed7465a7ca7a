import type { AttachmentProgress } from '../../../src/store/port/blobs.ts';
import type { Store } from '../../../src/store/port/store.ts';
import type { StoreProgress } from '../../../src/store/port/transfer.ts';
import { list } from './list.ts';

type Verified = Pick<Store, 'verify'>;

/** The steps of a verification of everything but the bytes of attachments, in all partitions or one. */
export async function storeSteps(store: Verified, partition?: string): Promise<readonly StoreProgress[]> {
  return (await list(store.verify({ partition }))).filter(step => step.step !== 'attachments');
}

/** The steps of a verification of the search entries of a partition. */
export async function indexSteps(store: Verified, partition: string): Promise<readonly StoreProgress[]> {
  return (await list(store.verify({ partition, only: 'indexes' }))).filter(step => step.step !== 'attachments');
}

/** The steps of a verification of the bytes of a partition. */
export async function attachmentSteps(store: Verified, partition: string): Promise<readonly AttachmentProgress[]> {
  return (await list(store.verify({ partition, only: 'attachments' }))).filter(step => step.step === 'attachments');
}
