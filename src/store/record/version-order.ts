import type { HistoryScope, VersionKey } from '../port/transfer.ts';

/** Compares places in the order of a scope. */
export function versionOrder(order: HistoryScope['order']): (a: VersionKey, b: VersionKey) => number {
  return order === 'newest' ? (a, b) => compare(b, a) : compare;
}

function compare(a: VersionKey, b: VersionKey): number {
  return (
    a.lastUpdated - b.lastUpdated || compareTexts(a.type, b.type) || compareTexts(a.id, b.id) || a.version - b.version
  );
}

/** By UTF-16 units, which for types and ids is the order of both stores. */
const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
