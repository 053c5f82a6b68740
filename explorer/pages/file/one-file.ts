/** A file in a search response, with the members that its page reads. */
export interface OneFile {
  readonly id: string
  readonly file_name: string
  readonly file_size?: number
  readonly md5sum?: string
  readonly access?: string
  readonly data_type?: string
  readonly data_format?: string
  readonly cases?: readonly { readonly case_id: string; readonly submitter_id?: string }[]
  readonly associated_entities?: readonly {
    readonly entity_id?: string
    readonly entity_submitter_id?: string
    readonly entity_type?: string
  }[]
  readonly index_files?: readonly {
    readonly file_id: string
    readonly file_name?: string
    readonly file_size?: number
  }[]
}
