/**
 * Matches what spreadsheets, R and pandas write before the sums of the rows above. Words that are also symbols of
 * genes, such as MAX, are not among them.
 */
const TOTAL =
  /^(?:(?:grand|sub)?[ -]?totals?(?: result)?|totals? of .*|sum total|sum|average|mean|median|count|all):?$/i

/** Returns whether a text is the label of sums or averages in place of a name. */
export const isTotal = (text: string): boolean => text.length < 40 && TOTAL.test(text.trim())
