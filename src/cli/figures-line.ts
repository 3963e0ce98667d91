import type { Figures } from '../link/explain/cluster-figures.ts'

/** Returns a line such as `pairwise   precision 0.9990  recall 0.9871  F1 0.9930`. */
export function figuresLine(name: string, { precision, recall, f1 }: Figures): string {
  return `${name.padEnd(10)} precision ${precision.toFixed(4)}  recall ${recall.toFixed(4)}  F1 ${f1.toFixed(4)}`
}
