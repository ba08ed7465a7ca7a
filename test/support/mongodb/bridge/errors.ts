import { BSON, type Document } from 'mongodb';

/** An error that the bridge answers itself, with a code and labels of MongoDB. */
export class Refusal extends Error {
  readonly reply: Document;

  constructor(code: number, codeName: string, errmsg: string, ...errorLabels: readonly string[]) {
    super(errmsg);
    const labels = errorLabels.length > 0 ? { errorLabels } : {};
    this.reply = { ok: new BSON.Double(0), errmsg, code, codeName, ...labels };
  }
}

/** https://www.mongodb.com/docs/manual/core/transactions-in-applications/#std-label-transient-transaction-error */
export const transient = 'TransientTransactionError';

/** https://www.mongodb.com/docs/manual/core/transactions-production-consideration/ */
export const writeConflict = (): Refusal =>
  new Refusal(112, 'WriteConflict', 'Another transaction has written this document. Please retry', transient);

/** https://www.mongodb.com/docs/manual/reference/error-codes/#mongodb-error-251 */
export const noSuchTransaction = (): Refusal =>
  new Refusal(251, 'NoSuchTransaction', 'The transaction has been aborted, or was never begun', transient);

/** https://www.mongodb.com/docs/manual/core/transactions-operations/#restricted-operations */
export const notInTransaction = (name: string): Refusal =>
  new Refusal(263, 'OperationNotSupportedInTransaction', `Cannot run '${name}' in a multi-document transaction`);
