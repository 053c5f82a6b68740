/**
 * The form of a release's array files: Arrow IPC files (`.arrow`) of one row and one record batch. Each
 * field is a list without nulls, and its elements are an array of the release as it lies in memory.
 * The field VALUES_FIELD of a column is what people read: the value of each element, or the values.
 *
 *   values: List<T>                        the identity: the entries of the dictionary themselves
 *   values: List<Dictionary<codes, T>>     `codes` are the indices; entry 0 is null, which code 0 names
 *   values: List<List<Dictionary<…>>>      `offsets` are those of the inner list
 *
 * T is Float64 (`numbers`), Utf8 (`ends`, `bytes`), or FixedSizeBinary (`bytes` of a packed form). The
 * arrays of the release begin behind entry 0. Other facts are JSON in the schema's metadata.
 */
export const VALUES_FIELD = 'values'

export const FACTS_KEY = 'casemill'

export const ARROW_MAGIC = 'ARROW1'
