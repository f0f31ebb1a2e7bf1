/** The reason against a file, for the person that sent it. */
export class FileRefusal extends Error {}
