/** A file in a search response. */
export interface FileHit {
  readonly id: string
  readonly file_name: string
  readonly data_type?: string
  readonly data_format?: string
  readonly access?: string
  readonly file_size?: number
  readonly cases?: readonly { readonly submitter_id: string }[]
}
