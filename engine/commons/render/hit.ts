/** A record as it is printed. */
export interface Hit {
  [name: string]: unknown
}
