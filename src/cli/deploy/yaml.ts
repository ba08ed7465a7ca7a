/** A value of a YAML file. */
export type Yaml = string | number | boolean | readonly Yaml[] | { readonly [key: string]: Yaml };

/** Prints a value as YAML, block style, without a line break at the end. https://yaml.org/spec/1.2.2/ */
export function printYaml(value: Yaml, indent = ''): string {
  if (typeof value !== 'object') return scalar(value, indent);
  if (isList(value)) {
    if (value.length === 0) return '[]';
    return value.map(item => `${indent}- ${printYaml(item, `${indent}  `).trimStart()}`).join('\n');
  }
  const entries = Object.entries(value);
  if (entries.length === 0) return '{}';
  return entries
    .map(([key, item]) => {
      const isBlock = typeof item === 'object' && (isList(item) ? item.length > 0 : Object.keys(item).length > 0);
      const printed = printYaml(item, isBlock ? `${indent}  ` : indent);
      return `${indent}${scalar(key, indent)}:${isBlock ? '\n' : ' '}${printed}`;
    })
    .join('\n');
}

const isList = (value: Yaml): value is readonly Yaml[] => Array.isArray(value);

/** Texts that could be read as something else are quoted; those of several lines are literal blocks. */
function scalar(value: string | number | boolean, indent: string): string {
  if (typeof value !== 'string') return String(value);
  if (value.includes('\n')) return `|-\n${value.replaceAll(/^(?=.)/gm, `${indent}  `)}`;
  const isPlain = /^[A-Za-z/][A-Za-z0-9_./ -]*$/.test(value) && value.trim() === value && !words.test(value);
  return isPlain ? value : JSON.stringify(value);
}

const words = /^(?:true|false|yes|no|on|off|null|y|n)$/i;
