/** A record in its printed form. */
export interface Hit {
  [name: string]: unknown
}
