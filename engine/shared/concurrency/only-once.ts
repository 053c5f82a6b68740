/** Wraps a function so that only its first call runs it. Makes releasing something twice harmless. */
export function onlyOnce(act: () => void): () => void {
  let isDone = false
  return () => {
    if (isDone) return
    isDone = true
    act()
  }
}
