/** What stands between the parts of a piece of SQL: one text more than it has parts. */
export type Between = readonly string[];

/** A step from a place: a piece by its texts, which are one object for each place in the code, or a value. */
export type Step = Between | typeof value;

/** The step of a value, whatever it is. */
export const value = Symbol('value');

/** Where the steps to a statement lead. */
export interface Place {
  readonly next: Map<Step, Place>;
  text: string | undefined;
}

/**
 * The texts of statements by the steps that lead through their pieces: statements that differ in values only have one
 * text, which is made once. All are forgotten once they take some 8 MB.
 */
export class KeptTexts {
  readonly #most: number;
  #first = newPlace();
  #size = 0;

  /** `most`: characters, those of a place included. */
  constructor(most = 4_000_000) {
    this.#most = most;
  }

  get first(): Place {
    return this.#first;
  }

  step({ next }: Place, by: Step): Place {
    const known = next.get(by);
    if (known !== undefined) return known;
    const place = newPlace();
    next.set(by, place);
    this.#grow(placeSize);
    return place;
  }

  keep(place: Place, text: string): string {
    place.text = text;
    this.#grow(text.length);
    return text;
  }

  #grow(by: number): void {
    this.#size += by;
    if (this.#size <= this.#most) return;
    this.#first = newPlace();
    this.#size = 0;
  }
}

const placeSize = 100;
const newPlace = (): Place => ({ next: new Map(), text: undefined });
