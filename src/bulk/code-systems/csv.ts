/** A row of a CSV file with the line on which it begins. */
export interface CsvRow {
  readonly cells: readonly string[];
  readonly line: number;
}

/**
 * The rows of a CSV text, in parts: cells may be quoted and then have line ends, commas and doubled quotes. `separator`
 * is a comma, or a tab for files without quotes. Throws Error with the line for a quote that does not end.
 * https://www.rfc-editor.org/rfc/rfc4180
 */
export async function* csvRows(text: AsyncIterable<string>, separator: ',' | '\t' = ','): AsyncIterable<CsvRow> {
  const hasQuotes = separator === ',';
  let [cells, cell, line, start]: [string[], string, number, number] = [[], '', 1, 1];
  let [isQuoted, wasQuote, isEmpty] = [false, false, true];
  for await (const chunk of text) {
    const rows: CsvRow[] = [];
    let from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const character = chunk.charCodeAt(at);
      if (character === newline) line += 1;
      if (isQuoted) {
        if (wasQuote && character !== quote) [isQuoted, wasQuote] = [false, false];
        else if (character !== quote) continue;
        else if (wasQuote) {
          wasQuote = false;
          continue; // the second of two stays in the cell
        } else {
          cell += chunk.slice(from, at);
          from = at + 1;
          wasQuote = true;
          continue;
        }
      }
      if (character === quote && hasQuotes && cell === '' && from === at) {
        isQuoted = true;
        isEmpty = false;
        from = at + 1;
      } else if (character === separator.charCodeAt(0) || character === newline) {
        cell += chunk.slice(from, at);
        from = at + 1;
        if (character === newline && cell.endsWith('\r')) cell = cell.slice(0, -1);
        cells.push(cell);
        if (character === newline) {
          if (cells.length > 1 || cell !== '' || !isEmpty) rows.push({ cells, line: start });
          [cells, start, isEmpty] = [[], line, true];
        }
        cell = '';
      }
    }
    cell += chunk.slice(from);
    yield* rows;
  }
  if (isQuoted && !wasQuote) throw new Error(`Line ${start} has a quoted cell that does not end.`);
  if (cell !== '' || cells.length > 0) yield { cells: [...cells, cell.replace(/\r$/, '')], line: start };
}

const [quote, newline] = [0x22, 0x0a];
