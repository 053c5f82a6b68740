// Tables of surgery codes as they are answered (registry-lookups.md 2).

/** A code with what it stands for, a note without a code, or a break between groups of them. */
export interface SurgeryRow {
  /** Empty, or not there, of a note. */
  readonly code?: string
  /** A fragment of HTML. */
  readonly description?: string
  readonly level: number
  readonly line_break: boolean
}

/** What a table says of itself; ranges are comma lists such as `C000-C009,C019`. */
export interface SurgeryHead {
  readonly title: string
  readonly site_inclusions?: string
  readonly hist_exclusions?: string
  readonly hist_inclusions?: string
  /** A fragment of HTML, as is the next. */
  readonly pre_note?: string
  readonly post_note?: string
}

export interface SurgeryTable extends SurgeryHead {
  readonly row: readonly SurgeryRow[]
}

/** The tables of one file, valid from a year on. */
export interface SurgeryEdition {
  readonly year: number
  /** As the file calls itself: `2014 SEER Coding Manual`. */
  readonly name: string
  readonly tables: readonly SurgeryTable[]
}
