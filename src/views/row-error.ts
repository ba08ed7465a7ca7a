/** A record has no rows in a view. The message has nothing of the record. */
export class RowError extends Error {
  /** `invalid`: the view and the record do not fit; `too-costly`: a limit. */
  readonly code: 'invalid' | 'too-costly';
  /** The place in the view: `select[0].column[1].path`. */
  readonly place: string | undefined;
  /** `Type/id`; undefined until it is known. */
  readonly record: string | undefined;

  constructor(
    code: RowError['code'],
    message: string,
    { place, record }: { readonly place?: string | undefined; readonly record?: string | undefined } = {},
  ) {
    super(message);
    this.name = 'RowError';
    this.code = code;
    this.place = place;
    this.record = record;
  }
}
