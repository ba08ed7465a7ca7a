/** A record has no rows in a view. The message has nothing of the record. */
export class RowError extends Error {
  /** `invalid`: the view and the record do not fit; `too-costly`: a limit. */
  readonly code: 'invalid' | 'too-costly';
  /** The place in the view: `select[0].column[1].path`. */
  readonly place: string | undefined;

  constructor(code: RowError['code'], message: string, { place }: { readonly place?: string | undefined } = {}) {
    super(message);
    this.name = 'RowError';
    this.code = code;
    this.place = place;
  }
}
