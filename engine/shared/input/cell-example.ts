/** A cell that could not be interpreted, or is doubtful. */
export interface CellExample {
  readonly line: number
  readonly cell: string
}
