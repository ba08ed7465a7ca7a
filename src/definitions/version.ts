/**
 * Compares two business versions: positive if `a` is newer. Numbers compare as numbers, a version with a label
 * (`1.1.0-ballot`) is older than the one without, and no version is the oldest.
 * https://hl7.org/fhir/R4/references.html#canonical
 */
export function compareVersions(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return (a === undefined ? 0 : 1) - (b === undefined ? 0 : 1);
  const [left, right] = [split(a), split(b)];
  for (let index = 0; index < Math.max(left.numbers.length, right.numbers.length); index++) {
    const difference = (left.numbers[index] ?? 0) - (right.numbers[index] ?? 0);
    if (difference !== 0) return difference;
  }
  if (left.label === right.label) return 0;
  if (left.label === '' || right.label === '') return left.label === '' ? 1 : -1;
  return left.label < right.label ? -1 : 1;
}

function split(version: string): { readonly numbers: readonly number[]; readonly label: string } {
  const label = /[^0-9.].*$/.exec(version)?.[0] ?? '';
  const numbers = version
    .slice(0, version.length - label.length)
    .split('.')
    .map(Number);
  return { numbers, label };
}
