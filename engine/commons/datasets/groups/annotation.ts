import { fields } from '../compose.ts'

export const annotation = fields({
  keyword: `
    annotation_id case_id category classification created_datetime entity_id entity_type
    legacy_created_datetime legacy_updated_datetime notes state status updated_datetime`,
  exact: 'case_submitter_id entity_submitter_id submitter_id',
})

/** An annotation in the form in which the annotated records list it. */
export const listedAnnotation = { ...annotation, ...fields({ keyword: 'creator' }) }
