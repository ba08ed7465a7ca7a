/** True if the test is true for one item, false if it is false for all, else undefined. */
export function any<Item>(items: readonly Item[], test: (item: Item) => boolean | undefined): boolean | undefined {
  let result: boolean | undefined = false;
  for (const item of items) {
    const holds = test(item);
    if (holds === true) return true;
    if (holds === undefined) result = undefined;
  }
  return result;
}

/** True if the test is true for all items, false if it is false for one, else undefined. */
export function every<Item>(items: readonly Item[], test: (item: Item) => boolean | undefined): boolean | undefined {
  let result: boolean | undefined = true;
  for (const item of items) {
    const holds = test(item);
    if (holds === false) return false;
    if (holds === undefined) result = undefined;
  }
  return result;
}
