import type { Editorial, FormerRecord, PublishedRecord } from './answers.ts'
import type { RecordContent } from './definition.ts'
import type { FormerItem, Notes, StoredItem } from './stored.ts'
import type { View } from './versions.ts'

/** Converts a record, or part of its content, to the form for callers with this view. */
export function describeRecord<Content extends RecordContent, Part extends Partial<Content>>(
  { version: { version }, asEditor }: View,
  item: StoredItem,
  content: Part,
): Part & Omit<PublishedRecord<RecordContent>, 'name' | 'type' | 'history'> {
  const { id, firstPublished, lastModified, fingerprint } = item
  return {
    id,
    ...content,
    version,
    ...(asEditor && { hidden: item.hidden, ...editorialOf(item) }),
    ...(firstPublished !== null && { first_published: firstPublished }),
    last_modified: lastModified,
    fingerprint,
  }
}

function editorialOf({ status, assignedTo, note, fieldNotes }: Notes): Editorial {
  return {
    status,
    ...(assignedTo !== null && { assigned_to: assignedTo }),
    ...(note !== null && { note }),
    ...(fieldNotes !== null && { field_notes: fieldNotes }),
  }
}

/** Parses the stored content of a record. */
export function contentOf<Content extends RecordContent>({
  document,
}: {
  readonly document: string
}): Content {
  return JSON.parse(document) as Content
}

/** Converts an earlier state of a record to the form for callers with this view. */
export function describeFormer<Content extends RecordContent>(
  { asEditor }: View,
  id: string,
  former: FormerItem,
): FormerRecord<Content> {
  const { fingerprint } = former
  const noted = asEditor && editorialOf(former)
  return { id, ...contentOf<Content>(former), ...noted, fingerprint }
}
