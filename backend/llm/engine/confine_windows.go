//go:build engine

package engine

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// confine puts this process into a job that ends with it. The runners that it
// starts are in the job too. The handle is left open for as long as the process
// lives: its closing is what ends the job.
func confine() error {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return err
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE},
	}
	// The system call takes the address and the size of the limits.
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err != nil {
		return err
	}
	return windows.AssignProcessToJobObject(job, windows.CurrentProcess())
}

// dieWithCreator leaves it to the job.
func dieWithCreator() {}
