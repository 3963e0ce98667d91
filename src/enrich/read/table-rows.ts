/** An Arrow or Parquet file from a caller or operator. */
export interface TableFile {
  readonly path: string
  readonly kind: 'arrow' | 'parquet'
}

export type TableReply =
  | { readonly header: readonly string[] }
  /** null after the last row. */
  | { readonly rows: readonly (readonly string[])[] | null }
  | { readonly failure: string }

/** An Arrow or Parquet file as its reader returns it: rows of text, in slices. */
export interface TableRows {
  readonly header: readonly string[]
  /** May be called once. */
  readonly slices: () => AsyncGenerator<string[][]>
}

/** A slice ends at either limit (rows, characters). A reader holds one slice at a time. */
export const SLICE_ROWS = 2_000
export const SLICE_TEXT = 256 * 1024
