/** An input that cannot be read further; what was read before stays valid. */
export class BrokenInput extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'BrokenInput';
  }
}
