import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../cli/process.ts';
import { parseQuery } from './promql.ts';
import type { Expression } from './promql.ts';

/** A panel of the dashboard, with its queries. */
export interface Panel {
  readonly title: string;
  /** As Grafana names it: `s`, `bytes`, `reqps`. */
  readonly unit: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets: readonly { readonly query: Expression; readonly legend: string }[];
}

interface PanelJson extends Omit<Panel, 'targets' | 'unit'> {
  readonly fieldConfig: { readonly defaults: { readonly unit: string } };
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
}

const json = JSON.parse(readFileSync(join(root, 'src/observability/dashboard.json'), 'utf8')) as {
  readonly title: string;
  readonly panels: readonly PanelJson[];
};

export const title = json.title;

/** The panels of src/observability/dashboard.json. */
export const panels: readonly Panel[] = json.panels.map(({ title, gridPos, fieldConfig, targets }) => ({
  title,
  gridPos,
  unit: fieldConfig.defaults.unit,
  targets: targets.map(({ expr, legendFormat }) => ({ query: parseQuery(expr), legend: legendFormat })),
}));
