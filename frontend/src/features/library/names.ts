import { ServiceError } from "@/api/errors";

/** What is wrong with a library's name, by the program's own rule; null for a name that can be one. */
export function nameTrouble(kb: string): ServiceError | null {
  const sound = kb.trim() !== "" && Array.from(kb).length <= 100 && !/[/\\\p{Cc}]/u.test(kb);
  return sound ? null : new ServiceError({ code: "kb_name_invalid", message: "kb_name_invalid", params: { kb } });
}
