/** A file as a search finds it. */
export interface FileHit {
  readonly id: string
  readonly file_name: string
  readonly data_type?: string
  readonly data_format?: string
  readonly access?: string
  readonly file_size?: number
  readonly cases?: readonly { readonly submitter_id: string }[]
}
