/** A number with its noun: `1 record`, `1,234 records`. `many` is for irregular plurals. */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${value.toLocaleString('en-CA')} ${value === 1 ? one : many}`;
}
