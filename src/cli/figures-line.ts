import type { Figures } from '../link/explain/cluster-figures.ts'

/** Returns a line with the precision, recall and F1 of the figure `name`. */
export function figuresLine(name: string, { precision, recall, f1 }: Figures): string {
  return `${name.padEnd(10)} precision ${precision.toFixed(4)}  recall ${recall.toFixed(4)}  F1 ${f1.toFixed(4)}`
}
