/** What stands between the parts of a piece of SQL: one text more than it has parts. */
export type Between = readonly string[];

/** A step from a place: a piece by its texts, which are one object for each place in the code, or a value. */
export type Step = Between | typeof value;

/** The step of a value, whatever it is. */
export const value = Symbol('value');

/** Where the steps to a statement lead: most places have one next, which is found without a look-up. */
export interface Place {
  by: Step | undefined;
  to: Place | undefined;
  /** The next places by other steps. */
  others: Map<Step, Place> | undefined;
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

  step(from: Place, by: Step): Place {
    const known = from.by === by ? from.to : from.others?.get(by);
    return known ?? this.#add(from, by);
  }

  #add(from: Place, by: Step): Place {
    const place = newPlace();
    if (from.to === undefined) {
      from.by = by;
      from.to = place;
    } else (from.others ??= new Map()).set(by, place);
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
const newPlace = (): Place => ({ by: undefined, to: undefined, others: undefined, text: undefined });
