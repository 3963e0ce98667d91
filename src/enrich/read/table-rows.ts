/** A file of columns that somebody sent. */
export interface TableFile {
  readonly path: string
  readonly kind: 'arrow' | 'parquet'
}

export type TableReply =
  | { readonly header: readonly string[] }
  /** null behind the last row. */
  | { readonly rows: readonly (readonly string[])[] | null }
  | { readonly failure: string }

/** A table of columns as a reader gives it: rows of text, some at a time. */
export interface TableRows {
  readonly header: readonly string[]
  /** Once. */
  readonly slices: () => AsyncGenerator<string[][]>
}

/** A slice ends at so many rows, or so many characters: a reader holds one at a time. */
export const SLICE_ROWS = 2_000
export const SLICE_TEXT = 256 * 1024
