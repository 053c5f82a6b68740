// Tables of surgery codes in the form of the API (registry-lookups.md 2).

/** A code with its description, a note without a code, or a break between groups. */
export interface SurgeryRow {
  /** Empty or absent for a note. */
  readonly code?: string
  /** Description as an HTML fragment. */
  readonly description?: string
  /** Depth of the code in the hierarchy of the table. */
  readonly level: number
  /** Whether the row is a break between groups. */
  readonly line_break: boolean
}

/** The header of a table. Ranges are comma-separated, such as `C000-C009,C019`. */
export interface SurgeryHead {
  readonly title: string
  readonly site_inclusions?: string
  readonly hist_exclusions?: string
  readonly hist_inclusions?: string
  /** Notes as HTML fragments. */
  readonly pre_note?: string
  readonly post_note?: string
}

export interface SurgeryTable extends SurgeryHead {
  readonly row: readonly SurgeryRow[]
}

/** The tables of one file, which are valid from a year on. */
export interface SurgeryEdition {
  readonly year: number
  /** The title in the file: `2014 SEER Coding Manual`. */
  readonly name: string
  readonly tables: readonly SurgeryTable[]
}
