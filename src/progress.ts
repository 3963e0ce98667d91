/** A finished part of a step: for example one file of the step `ingest`, with its rows and seconds. */
export interface Progress {
  readonly step: string
  readonly detail: string
  readonly rows: number
  readonly seconds: number
}

export type OnProgress = (progress: Progress) => void
