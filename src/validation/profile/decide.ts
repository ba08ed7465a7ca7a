/** True where one holds, false where none does, undefined where it is left open. */
export function any<Item>(items: readonly Item[], test: (item: Item) => boolean | undefined): boolean | undefined {
  let result: boolean | undefined = false;
  for (const item of items) {
    const holds = test(item);
    if (holds === true) return true;
    if (holds === undefined) result = undefined;
  }
  return result;
}

/** True where all hold, false where one does not, undefined where it is left open. */
export function every<Item>(items: readonly Item[], test: (item: Item) => boolean | undefined): boolean | undefined {
  let result: boolean | undefined = true;
  for (const item of items) {
    const holds = test(item);
    if (holds === false) return false;
    if (holds === undefined) result = undefined;
  }
  return result;
}
