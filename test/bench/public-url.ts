/** Base of absolute URLs in all processes of a run, whatever port they listen on. */
export const publicUrl = 'http://bench.example';
