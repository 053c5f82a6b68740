/**
 * Takes a lock of the system on the file of a connection, until the connection is closed. A journal on
 * the disk would be begun with the transaction, and a full disk takes none.
 */
export const LOCK_THE_FILE = 'PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE'
