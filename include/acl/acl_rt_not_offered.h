// SPDX-License-Identifier: Apache-2.0
//
// What acl_rt.h of CANN's newer releases declares beyond what the host libraries offer: libraries
// and programs written for it compile against these headers. Names, values and parameters are
// CANN's; what the functions do, its documents say. C11 and C++11.
#ifndef POOLPROOF_INCLUDE_ACL_ACL_RT_NOT_OFFERED_H_
#define POOLPROOF_INCLUDE_ACL_ACL_RT_NOT_OFFERED_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acl/acl_rt.h"

// --- Flags ------------------------------------------------------------------------------------

#define ACL_EVENT_SYNC 0x00000001U
#define ACL_EVENT_CAPTURE_STREAM_PROGRESS 0x00000002U
#define ACL_EVENT_TIME_LINE 0x00000008U
#define ACL_EVENT_DEVICE_USE_ONLY 0x00000010U
#define ACL_EVENT_EXTERNAL 0x00000020U
#define ACL_EVENT_IPC 0x00000040U
#define ACL_EVENT_RECORD_DEFAULT 0x0U
#define ACL_EVENT_RECORD_EXTERNAL 0x01U
#define ACL_EVENT_WAIT_DEFAULT 0x0U
#define ACL_EVENT_WAIT_EXTERNAL 0x01U
#define ACL_IPC_EVENT_HANDLE_SIZE 64U

#define ACL_STREAM_FAST_LAUNCH 0x00000001U
#define ACL_STREAM_FAST_SYNC 0x00000002U
#define ACL_STREAM_PERSISTENT 0x00000004U
#define ACL_STREAM_HUGE 0x00000008U
#define ACL_STREAM_CPU_SCHEDULE 0x00000010U
#define ACL_STREAM_DEVICE_USE_ONLY 0x00000020U
#define ACL_STREAM_WAIT_VALUE_GEQ 0x00000000U
#define ACL_STREAM_WAIT_VALUE_EQ 0x00000001U
#define ACL_STREAM_WAIT_VALUE_AND 0x00000002U
#define ACL_STREAM_WAIT_VALUE_NOR 0x00000003U
#define ACL_CONTINUE_ON_FAILURE 0x00000000U
#define ACL_STOP_ON_FAILURE 0x00000001U

#define ACL_NOTIFY_DEFAULT 0x00000000U
#define ACL_NOTIFY_DEVICE_USE_ONLY 0x00000001U
#define ACL_RT_NOTIFY_EXPORT_FLAG_DEFAULT 0x0UL
#define ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION 0x02UL
#define ACL_RT_NOTIFY_IMPORT_FLAG_DEFAULT 0x0UL
#define ACL_RT_NOTIFY_IMPORT_FLAG_ENABLE_PEER_ACCESS 0x02UL

#define ACL_RT_IPC_MEM_EXPORT_FLAG_DEFAULT 0x0UL
#define ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION 0x1UL
#define ACL_RT_IPC_MEM_IMPORT_FLAG_DEFAULT 0x0UL
#define ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS 0x1UL
#define ACL_RT_VMM_EXPORT_FLAG_DEFAULT 0x0UL
#define ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION 0x1UL
#define ACL_HOST_REG_MAPPED 0x2UL
#define ACL_HOST_REG_IOMEMORY 0x4UL
#define ACL_HOST_REG_READONLY 0x8UL
#define ACL_HOST_REG_PINNED 0x10000000UL
#define ACL_RT_MEM_ATTACH_GLOBAL 0x01U
#define ACL_RT_MEM_LINK_IDX_0 0U
#define ACL_RT_MEM_LINK_IDX_1 1U
#define ACL_RT_MEM_TYPE_DEV 0X2U
#define ACL_RT_MEM_TYPE_DVPP 0X8U
#define ACL_RT_MEM_TYPE_RSVD 0X10U
#define ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_SIO 0
#define ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_HCCS 1
#define ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_UB_ONE_PORT_PATH 2
#define ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_UB_MULTI_PORT_PATH 3

#define ACL_DEV_FEATURE_SUPPORT 0x00000001
#define ACL_DEV_FEATURE_NOT_SUPPORT 0x00000000
#define ACL_HOST_DEVICE_CONNECT_TYPE_PCIE 0
#define ACL_HOST_DEVICE_CONNECT_TYPE_HCCS 1
#define ACL_HOST_DEVICE_CONNECT_TYPE_UB 2
#define ACL_DEVICE_FORM_FACTOR_POD 0
#define ACL_DEVICE_FORM_FACTOR_A_K 1
#define ACL_DEVICE_FORM_FACTOR_A_X 2
#define ACL_DEVICE_FORM_FACTOR_PCIE_CARD 3
#define ACL_RT_DEVS_TOPOLOGY_HCCS 0x01ULL
#define ACL_RT_DEVS_TOPOLOGY_PIX 0x02ULL
#define ACL_RT_DEVS_TOPOLOGY_PIB 0x04ULL
#define ACL_RT_DEVS_TOPOLOGY_PHB 0x08ULL
#define ACL_RT_DEVS_TOPOLOGY_SYS 0x10ULL
#define ACL_RT_DEVS_TOPOLOGY_SIO 0x20ULL
#define ACL_RT_DEVS_TOPOLOGY_HCCS_SW 0x40ULL

#define ACL_MDLRI_DEBUG_JSON_PRINT_SUMMARY 0x0UL
#define ACL_MDLRI_DEBUG_JSON_PRINT_VERBOSE 0x1UL
#define ACL_RT_BINARY_MAGIC_ELF_AICORE 0x43554245U
#define ACL_RT_BINARY_MAGIC_ELF_VECTOR_CORE 0x41415246U
#define ACL_RT_BINARY_MAGIC_ELF_CUBE_CORE 0x41494343U
#define ACL_RT_MAX_RECORD_PA_NUM_PER_DEV 20U
#define ACL_RT_CMO_MAX_BARRIER_NUM 6U
#define ACL_RT_MEM_UCE_INFO_MAX_NUM 20
#define MAX_MEM_UCE_INFO_ARRAY_SIZE 128
#define UCE_INFO_RESERVED_SIZE 14
#define ACL_PKG_VERSION_MAX_SIZE 128
#define ACL_PKG_VERSION_PARTS_MAX_SIZE 64

#if defined(__cplusplus)
extern "C" {
#endif

// --- Handles and callbacks --------------------------------------------------------------------

typedef void* aclrtDrvMemHandle;
typedef void* aclrtBinary;
typedef void* aclrtBinHandle;
typedef void* aclrtFuncHandle;
typedef void* aclrtArgsHandle;
typedef void* aclrtParamHandle;
typedef void* aclmdlRI;
typedef void* aclmdlRICondHandle;
typedef struct tagRtGroupInfo aclrtGroupInfo;
typedef struct rtExceptionInfo aclrtExceptionInfo;
typedef struct aclrtUtilizationExtendInfo aclrtUtilizationExtendInfo;
// Three extents of a launch. Left incomplete: other accelerators' headers define a type of this
// name.
struct dim3;

typedef void (*aclrtCallback)(void* userData);
typedef void (*aclrtHostFunc)(void* args);
typedef void (*aclrtExceptionInfoCallback)(aclrtExceptionInfo* exceptionInfo);
typedef void (*aclrtOpExceptionCallback)(aclrtExceptionInfo* exceptionInfo, void* userData);
typedef uint32_t (*aclrtSnapShotCallBack)(int32_t deviceId, void* args);
typedef aclError (*aclInitCallbackFunc)(const char* configStr, size_t len, void* userData);
typedef aclError (*aclFinalizeCallbackFunc)(void* userData);
typedef int (*aclrtApiFunc)(void);

// --- Enumerations -----------------------------------------------------------------------------

typedef enum aclrtTsId POOLPROOF_ACL_UNSIGNED {
  ACL_TS_ID_AICORE = 0,
  ACL_TS_ID_AIVECTOR = 1,
  ACL_TS_ID_RESERVED = 2
} aclrtTsId;

typedef enum aclrtEventStatus POOLPROOF_ACL_UNSIGNED {
  ACL_EVENT_STATUS_COMPLETE = 0,
  ACL_EVENT_STATUS_NOT_READY = 1,
  ACL_EVENT_STATUS_RESERVED = 2
} aclrtEventStatus;

typedef enum aclrtEventRecordedStatus POOLPROOF_ACL_UNSIGNED {
  ACL_EVENT_RECORDED_STATUS_NOT_READY = 0,
  ACL_EVENT_RECORDED_STATUS_COMPLETE = 1
} aclrtEventRecordedStatus;

typedef enum aclrtEventWaitStatus POOLPROOF_ACL_UNSIGNED {
  ACL_EVENT_WAIT_STATUS_COMPLETE = 0,
  ACL_EVENT_WAIT_STATUS_NOT_READY = 1,
  ACL_EVENT_WAIT_STATUS_RESERVED = 0xFFFF
} aclrtEventWaitStatus;

typedef enum aclrtStreamStatus POOLPROOF_ACL_UNSIGNED {
  ACL_STREAM_STATUS_COMPLETE = 0,
  ACL_STREAM_STATUS_NOT_READY = 1,
  ACL_STREAM_STATUS_RESERVED = 0xFFFF
} aclrtStreamStatus;

typedef enum aclrtCallbackBlockType POOLPROOF_ACL_UNSIGNED {
  ACL_CALLBACK_NO_BLOCK = 0,
  ACL_CALLBACK_BLOCK = 1
} aclrtCallbackBlockType;

typedef enum aclrtMemManagedAdviseType POOLPROOF_ACL_UNSIGNED {
  ACL_MEM_ADVISE_SET_READ_MOSTLY = 0,
  ACL_MEM_ADVISE_UNSET_READ_MOSTLY = 1,
  ACL_MEM_ADVISE_SET_PREFERRED_LOCATION = 2,
  ACL_MEM_ADVISE_UNSET_PREFERRED_LOCATION = 3,
  ACL_MEM_ADVISE_SET_ACCESSED_BY = 4,
  ACL_MEM_ADVISE_UNSET_ACCESSED_BY = 5
} aclrtMemManagedAdviseType;

typedef enum aclrtMemManagedLocationType POOLPROOF_ACL_UNSIGNED {
  ACL_MEM_LOCATIONTYPE_INVALID = 0,
  ACL_MEM_LOCATIONTYPE_DEVICE = 1,
  ACL_MEM_LOCATIONTYPE_HOST = 2,
  ACL_MEM_LOCATIONTYPE_HOST_NUMA = 3,
  ACL_MEM_LOCATIONTYPE_HOST_NUMA_CURRENT = 4
} aclrtMemManagedLocationType;

typedef enum aclrtMemManagedRangeAttribute POOLPROOF_ACL_UNSIGNED {
  ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY = 1,
  ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION = 2,
  ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY = 3,
  ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE = 4,
  ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID = 5,
  ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION = 6,
  ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE = 7,
  ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID = 8
} aclrtMemManagedRangeAttribute;

typedef enum aclrtHostRegisterType POOLPROOF_ACL_UNSIGNED {
  ACL_HOST_REGISTER_MAPPED = 0,
  ACL_HOST_REGISTER_IOMEMORY = 0x04,
  ACL_HOST_REGISTER_READONLY = 0x08
} aclrtHostRegisterType;

typedef enum aclrtMallocAttrType POOLPROOF_ACL_UNSIGNED {
  ACL_RT_MEM_ATTR_RSV = 0,
  ACL_RT_MEM_ATTR_MODULE_ID = 1,
  ACL_RT_MEM_ATTR_DEVICE_ID = 2,
  ACL_RT_MEM_ATTR_VA_FLAG = 3
} aclrtMallocAttrType;

enum aclrtMemPgType { NORMAL_PAGE_TYPE = 0, HUGE_PAGE_TYPE = 1, HUGE1G_PAGE_TYPE = 2 };

enum aclrtMemType { HBM_TYPE = 0, DDR_TYPE = 1, P2P_HBM_TYPE = 2, P2P_DDR_TYPE = 3 };

typedef enum aclrtIpcMemAttrType POOLPROOF_ACL_UNSIGNED {
  ACL_RT_IPC_MEM_ATTR_ACCESS_LINK = 0
} aclrtIpcMemAttrType;

typedef enum aclrtGroupAttr POOLPROOF_ACL_UNSIGNED {
  ACL_GROUP_AICORE_INT = 0,
  ACL_GROUP_AIV_INT = 1,
  ACL_GROUP_AIC_INT = 2,
  ACL_GROUP_SDMANUM_INT = 3,
  ACL_GROUP_ASQNUM_INT = 4,
  ACL_GROUP_GROUPID_INT = 5
} aclrtGroupAttr;

typedef enum aclrtStreamConfigAttr POOLPROOF_ACL_UNSIGNED {
  ACL_RT_STREAM_WORK_ADDR_PTR = 0,
  ACL_RT_STREAM_WORK_SIZE = 1,
  ACL_RT_STREAM_FLAG = 2,
  ACL_RT_STREAM_PRIORITY = 3
} aclrtStreamConfigAttr;

typedef enum aclrtMemLocationType POOLPROOF_ACL_UNSIGNED {
  ACL_MEM_LOCATION_TYPE_HOST = 0,
  ACL_MEM_LOCATION_TYPE_DEVICE = 1,
  ACL_MEM_LOCATION_TYPE_UNREGISTERED = 2,
  ACL_MEM_LOCATION_TYPE_MANAGED = 3,
  ACL_MEM_LOCATION_TYPE_HOST_NUMA = 4
} aclrtMemLocationType;

typedef enum aclrtMemAllocationType POOLPROOF_ACL_UNSIGNED {
  ACL_MEM_ALLOCATION_TYPE_PINNED = 0
} aclrtMemAllocationType;

typedef enum aclrtMemHandleType POOLPROOF_ACL_UNSIGNED {
  ACL_MEM_HANDLE_TYPE_NONE = 0,
  ACL_MEM_HANDLE_TYPE_POSIX = 2
} aclrtMemHandleType;

typedef enum aclrtMemSharedHandleType POOLPROOF_ACL_UNSIGNED {
  ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT = 0x1,
  ACL_MEM_SHARE_HANDLE_TYPE_FABRIC = 0x2
} aclrtMemSharedHandleType;

typedef enum aclrtMemGranularityOptions POOLPROOF_ACL_UNSIGNED {
  ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM = 0,
  ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED = 1,
  ACL_RT_MEM_ALLOC_GRANULARITY_UNDEF = 0xFFFF
} aclrtMemGranularityOptions;

typedef enum aclrtDeviceStatus POOLPROOF_ACL_UNSIGNED {
  ACL_RT_DEVICE_STATUS_NORMAL = 0,
  ACL_RT_DEVICE_STATUS_ABNORMAL = 1,
  ACL_RT_DEVICE_STATUS_END = 0xFFFF
} aclrtDeviceStatus;

typedef enum aclmdlRICaptureMode POOLPROOF_ACL_UNSIGNED {
  ACL_MODEL_RI_CAPTURE_MODE_GLOBAL = 0,
  ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL = 1,
  ACL_MODEL_RI_CAPTURE_MODE_RELAXED = 2
} aclmdlRICaptureMode;

typedef enum aclmdlRICaptureStatus POOLPROOF_ACL_UNSIGNED {
  ACL_MODEL_RI_CAPTURE_STATUS_NONE = 0,
  ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE = 1,
  ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED = 2
} aclmdlRICaptureStatus;

typedef enum aclmdlRITaskType POOLPROOF_ACL_UNSIGNED {
  ACL_MODEL_RI_TASK_DEFAULT = 0,
  ACL_MODEL_RI_TASK_KERNEL = 1,
  ACL_MODEL_RI_TASK_EVENT_RECORD = 2,
  ACL_MODEL_RI_TASK_EVENT_WAIT = 3,
  ACL_MODEL_RI_TASK_EVENT_RESET = 4,
  ACL_MODEL_RI_TASK_VALUE_WRITE = 5,
  ACL_MODEL_RI_TASK_VALUE_WAIT = 6
} aclmdlRITaskType;

typedef enum aclmdlRICondHandleFlag POOLPROOF_ACL_UNSIGNED {
  ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT = 1
} aclmdlRICondHandleFlag;

typedef enum aclmdlRICondTaskType POOLPROOF_ACL_UNSIGNED {
  ACL_MODEL_RI_COND_TYPE_IF = 0,
  ACL_MODEL_RI_COND_TYPE_WHILE = 1,
  ACL_MODEL_RI_COND_TYPE_SWITCH = 2
} aclmdlRICondTaskType;

typedef enum aclrtErrorType POOLPROOF_ACL_UNSIGNED {
  ACL_RT_NO_ERROR = 0,
  ACL_RT_ERROR_MEMORY = 1,
  ACL_RT_ERROR_L2 = 2,
  ACL_RT_ERROR_AICORE = 3,
  ACL_RT_ERROR_LINK = 4,
  ACL_RT_ERROR_L3_PORT = 5,
  ACL_RT_ERROR_OTHERS = 0xFFFF
} aclrtErrorType;

typedef enum aclrtAicoreErrorType POOLPROOF_ACL_UNSIGNED {
  ACL_RT_AICORE_ERROR_UNKNOWN = 0,
  ACL_RT_AICORE_ERROR_SW = 1,
  ACL_RT_AICORE_ERROR_HW_LOCAL = 2
} aclrtAicoreErrorType;

typedef enum aclrtCmoType POOLPROOF_ACL_UNSIGNED {
  ACL_RT_CMO_TYPE_PREFETCH = 0,
  ACL_RT_CMO_TYPE_WRITEBACK = 1,
  ACL_RT_CMO_TYPE_INVALID = 2,
  ACL_RT_CMO_TYPE_FLUSH = 3
} aclrtCmoType;

typedef enum aclrtLastErrLevel POOLPROOF_ACL_UNSIGNED { ACL_RT_THREAD_LEVEL = 0 } aclrtLastErrLevel;

typedef enum aclrtBinaryLoadOptionType POOLPROOF_ACL_UNSIGNED {
  ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD = 1,
  ACL_RT_BINARY_LOAD_OPT_LAZY_MAGIC = 2,
  ACL_RT_BINARY_LOAD_OPT_MAGIC = 2,
  ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE = 3
} aclrtBinaryLoadOptionType;

typedef enum aclrtEngineType POOLPROOF_ACL_UNSIGNED {
  ACL_RT_ENGINE_TYPE_AIC = 0,
  ACL_RT_ENGINE_TYPE_AIV = 1
} aclrtEngineType;

typedef enum aclrtLaunchKernelAttrId POOLPROOF_ACL_UNSIGNED {
  ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE = 1,
  ACL_RT_LAUNCH_KERNEL_ATTR_LOCAL_MEMORY_SIZE = 2,
  ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE = 2,
  ACL_RT_LAUNCH_KERNEL_ATTR_ENGINE_TYPE = 3,
  ACL_RT_LAUNCH_KERNEL_ATTR_BLOCKDIM_OFFSET = 4,
  ACL_RT_LAUNCH_KERNEL_ATTR_BLOCK_TASK_PREFETCH = 5,
  ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP = 6,
  ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT = 7,
  ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US = 8,
  ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING = 9
} aclrtLaunchKernelAttrId;

typedef enum aclrtStreamAttr POOLPROOF_ACL_UNSIGNED {
  ACL_STREAM_ATTR_FAILURE_MODE = 1,
  ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK = 2,
  ACL_STREAM_ATTR_USER_CUSTOM_TAG = 3,
  ACL_STREAM_ATTR_CACHE_OP_INFO = 4,
  ACL_STREAM_ATTR_PRIORITY = 5
} aclrtStreamAttr;

typedef enum aclrtDevAttr POOLPROOF_ACL_UNSIGNED {
  ACL_DEV_ATTR_AICPU_CORE_NUM = 1,
  ACL_DEV_ATTR_AICORE_CORE_NUM = 101,
  ACL_DEV_ATTR_CUBE_CORE_NUM = 102,
  ACL_DEV_ATTR_VECTOR_CORE_NUM = 201,
  ACL_DEV_ATTR_WARP_SIZE = 202,
  ACL_DEV_ATTR_MAX_THREAD_PER_VECTOR_CORE = 203,
  ACL_DEV_ATTR_LOCAL_MEM_PER_VECTOR_CORE = 204,
  ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE = 204,
  ACL_DEV_ATTR_MAX_GRID_DIM_X = 205,
  ACL_DEV_ATTR_MAX_GRID_DIM_Y = 206,
  ACL_DEV_ATTR_MAX_GRID_DIM_Z = 207,
  ACL_DEV_ATTR_MAX_BLOCK_PER_GRID = 208,
  ACL_DEV_ATTR_MAX_THREADS_PER_BLOCK = 209,
  ACL_DEV_ATTR_MAX_BLOCK_DIM_X = 210,
  ACL_DEV_ATTR_MAX_BLOCK_DIM_Y = 211,
  ACL_DEV_ATTR_MAX_BLOCK_DIM_Z = 212,
  ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE = 301,
  ACL_DEV_ATTR_L2_CACHE_SIZE = 302,
  ACL_DEV_ATTR_SMP_ID = 401,
  ACL_DEV_ATTR_PHY_CHIP_ID = 402,
  ACL_DEV_ATTR_SUPER_POD_DEVIDE_ID = 403,
  ACL_DEV_ATTR_SUPER_POD_DEVICE_ID = 403,
  ACL_DEV_ATTR_SUPER_POD_SERVER_ID = 404,
  ACL_DEV_ATTR_SUPER_POD_ID = 405,
  ACL_DEV_ATTR_CUST_OP_PRIVILEGE = 406,
  ACL_DEV_ATTR_MAINBOARD_ID = 407,
  ACL_DEV_ATTR_HD_CONNECT_TYPE = 408,
  ACL_DEV_ATTR_DEVICE_FORM_FACTOR = 409,
  ACL_DEV_ATTR_SUPER_POD_CHASSIS_ID = 410,
  ACL_DEV_ATTR_IS_VIRTUAL = 501,
  ACL_DEV_ATTR_NPU_ARCH = 601
} aclrtDevAttr;

typedef enum aclrtDevFeatureType POOLPROOF_ACL_UNSIGNED {
  ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV = 1,
  ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV = 21
} aclrtDevFeatureType;

typedef enum aclrtReduceKind POOLPROOF_ACL_UNSIGNED {
  ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM = 10,
  ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX = 11,
  ACL_RT_MEMCPY_SDMA_AUTOMATIC_MIN = 12,
  ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL = 13
} aclrtReduceKind;

typedef enum aclrtDevResLimitType POOLPROOF_ACL_UNSIGNED {
  ACL_RT_DEV_RES_CUBE_CORE = 0,
  ACL_RT_DEV_RES_VECTOR_CORE = 1
} aclrtDevResLimitType;

typedef enum aclrtDeviceLimit POOLPROOF_ACL_UNSIGNED {
  ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE = 0,
  ACL_RT_DEV_LIMIT_SIMT_DVG_WARP_STACK_SIZE = 1,
  ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE = 2,
  ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE = 3,
  ACL_RT_DEV_LIMIT_SIMT_PRINTF_FIFO_SIZE = 4
} aclrtDeviceLimit;

typedef enum aclrtCondition POOLPROOF_ACL_UNSIGNED {
  ACL_RT_EQUAL = 0,
  ACL_RT_NOT_EQUAL = 1,
  ACL_RT_GREATER = 2,
  ACL_RT_GREATER_OR_EQUAL = 3,
  ACL_RT_LESS = 4,
  ACL_RT_LESS_OR_EQUAL = 5
} aclrtCondition;

typedef enum aclrtCompareDataType POOLPROOF_ACL_UNSIGNED {
  ACL_RT_SWITCH_INT32 = 0,
  ACL_RT_SWITCH_INT64 = 1
} aclrtCompareDataType;

typedef enum aclrtRandomNumFuncType POOLPROOF_ACL_UNSIGNED {
  ACL_RT_RANDOM_NUM_FUNC_TYPE_DROPOUT_BITMASK = 0,
  ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS = 1,
  ACL_RT_RANDOM_NUM_FUNC_TYPE_NORMAL_DIS = 2,
  ACL_RT_RANDOM_NUM_FUNC_TYPE_TRUNCATED_NORMAL_DIS = 3
} aclrtRandomNumFuncType;

typedef enum aclrtDeviceTaskAbortStage POOLPROOF_ACL_UNSIGNED {
  ACL_RT_DEVICE_TASK_ABORT_PRE = 0,
  ACL_RT_DEVICE_TASK_ABORT_POST = 1
} aclrtDeviceTaskAbortStage;

typedef enum aclrtUpdateTaskAttrId POOLPROOF_ACL_UNSIGNED {
  ACL_RT_UPDATE_RANDOM_TASK = 1,
  ACL_RT_UPDATE_AIC_AIV_TASK = 2
} aclrtUpdateTaskAttrId;

typedef enum aclrtDeviceState POOLPROOF_ACL_UNSIGNED {
  ACL_RT_DEVICE_STATE_SET_PRE = 0,
  ACL_RT_DEVICE_STATE_SET_POST = 1,
  ACL_RT_DEVICE_STATE_RESET_PRE = 2,
  ACL_RT_DEVICE_STATE_RESET_POST = 3
} aclrtDeviceState;

typedef enum aclrtStreamState POOLPROOF_ACL_UNSIGNED {
  ACL_RT_STREAM_STATE_CREATE_POST = 1,
  ACL_RT_STREAM_STATE_DESTROY_PRE = 2
} aclrtStreamState;

typedef enum aclrtSnapShotStage POOLPROOF_ACL_UNSIGNED {
  ACL_RT_SNAPSHOT_LOCK_PRE = 0,
  ACL_RT_SNAPSHOT_BACKUP_PRE = 1,
  ACL_RT_SNAPSHOT_BACKUP_POST = 2,
  ACL_RT_SNAPSHOT_RESTORE_PRE = 3,
  ACL_RT_SNAPSHOT_RESTORE_POST = 4,
  ACL_RT_SNAPSHOT_UNLOCK_POST = 5
} aclrtSnapShotStage;

typedef enum aclrtProcessState POOLPROOF_ACL_UNSIGNED {
  ACL_RT_PROCESS_STATE_RUNNING = 0,
  ACL_RT_PROCESS_STATE_LOCKED = 1
} aclrtProcessState;

typedef enum aclrtFuncAttribute POOLPROOF_ACL_UNSIGNED {
  ACL_FUNC_ATTR_KERNEL_TYPE = 1,
  ACL_FUNC_ATTR_KERNEL_RATIO = 2,
  ACL_FUNC_ATTR_KERNEL_SCHED_MODE = 3
} aclrtFuncAttribute;

typedef enum aclrtKernelType POOLPROOF_ACL_UNSIGNED {
  ACL_KERNEL_TYPE_AICORE = 0,
  ACL_KERNEL_TYPE_CUBE = 1,
  ACL_KERNEL_TYPE_VECTOR = 2,
  ACL_KERNEL_TYPE_MIX = 3,
  ACL_KERNEL_TYPE_AICPU = 100
} aclrtKernelType;

typedef enum aclrtCntNotifyRecordMode POOLPROOF_ACL_UNSIGNED {
  ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE = 0,
  ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE = 1,
  ACL_RT_CNT_NOTIFY_RECORD_BIT_OR_MODE = 2,
  ACL_RT_CNT_NOTIFY_RECORD_BIT_AND_MODE = 4
} aclrtCntNotifyRecordMode;

typedef enum aclrtCntNotifyWaitMode POOLPROOF_ACL_UNSIGNED {
  ACL_RT_CNT_NOTIFY_WAIT_LESS_MODE = 0,
  ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE = 1,
  ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE = 2,
  ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE = 3,
  ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE = 4
} aclrtCntNotifyWaitMode;

typedef enum aclrtMemAccessFlags POOLPROOF_ACL_UNSIGNED {
  ACL_RT_MEM_ACCESS_FLAGS_NONE = 0x0,
  ACL_RT_MEM_ACCESS_FLAGS_READ = 0x1,
  ACL_RT_MEM_ACCESS_FLAGS_READWRITE = 0x3
} aclrtMemAccessFlags;

typedef enum aclCANNPackageName POOLPROOF_ACL_UNSIGNED {
  ACL_PKG_NAME_CANN = 0,
  ACL_PKG_NAME_RUNTIME = 1,
  ACL_PKG_NAME_COMPILER = 2,
  ACL_PKG_NAME_HCCL = 3,
  ACL_PKG_NAME_TOOLKIT = 4,
  ACL_PKG_NAME_OPP = 5,
  ACL_PKG_NAME_OPP_KERNEL = 6,
  ACL_PKG_NAME_DRIVER = 7
} aclCANNPackageName;

typedef enum aclrtHacType POOLPROOF_ACL_UNSIGNED {
  ACL_RT_HAC_TYPE_STARS = 0,
  ACL_RT_HAC_TYPE_AICPU = 1,
  ACL_RT_HAC_TYPE_AIC = 2,
  ACL_RT_HAC_TYPE_AIV = 3,
  ACL_RT_HAC_TYPE_PCIEDMA = 4,
  ACL_RT_HAC_TYPE_RDMA = 5,
  ACL_RT_HAC_TYPE_SDMA = 6,
  ACL_RT_HAC_TYPE_DVPP = 7,
  ACL_RT_HAC_TYPE_UDMA = 8,
  ACL_RT_HAC_TYPE_CCU = 9
} aclrtHacType;

typedef enum aclrtHostMemMapCapability POOLPROOF_ACL_UNSIGNED {
  ACL_RT_HOST_MEM_MAP_NOT_SUPPORTED = 0,
  ACL_RT_HOST_MEM_MAP_SUPPORTED = 1
} aclrtHostMemMapCapability;

typedef enum aclrtMemLinkType POOLPROOF_ACL_UNSIGNED {
  ACL_RT_MEM_ACCESS_LINK_SIO = 0,
  ACL_RT_MEM_ACCESS_LINK_HCCS = 1,
  ACL_RT_MEM_ACCESS_UB_ONE_PORT_PATH = 2,
  ACL_RT_MEM_ACCESS_UB_MULTI_PORT_PATH = 3
} aclrtMemLinkType;

typedef enum aclrtAtomicOperationCapability POOLPROOF_ACL_UNSIGNED {
  ACL_RT_ATOMIC_CAPABILITY_SIGNED = 0x1,
  ACL_RT_ATOMIC_CAPABILITY_UNSIGNED = 0x2,
  ACL_RT_ATOMIC_CAPABILITY_REDUCATION = 0x4,
  ACL_RT_ATOMIC_CAPABILITY_REDUCTION = 0x4,
  ACL_RT_ATOMIC_CAPABILITY_SCALAR8 = 0x8,
  ACL_RT_ATOMIC_CAPABILITY_SCALAR16 = 0x10,
  ACL_RT_ATOMIC_CAPABILITY_SCALAR32 = 0x20,
  ACL_RT_ATOMIC_CAPABILITY_SCALAR64 = 0x40,
  ACL_RT_ATOMIC_CAPABILITY_SCALAR128 = 0x80,
  ACL_RT_ATOMIC_CAPABILITY_VECTOR32X4 = 0x100
} aclrtAtomicOperationCapability;

typedef enum aclrtAtomicOperation POOLPROOF_ACL_UNSIGNED {
  ACL_RT_ATOMIC_OPERATION_INTEGER_ADD = 0,
  ACL_RT_ATOMIC_OPERATION_INTEGER_MIN = 1,
  ACL_RT_ATOMIC_OPERATION_INTEGER_MAX = 2,
  ACL_RT_ATOMIC_OPERATION_INTEGER_INCREMENT = 3,
  ACL_RT_ATOMIC_OPERATION_INTEGER_DECREMENT = 4,
  ACL_RT_ATOMIC_OPERATION_AND = 5,
  ACL_RT_ATOMIC_OPERATION_OR = 6,
  ACL_RT_ATOMIC_OPERATION_XOR = 7,
  ACL_RT_ATOMIC_OPERATION_EXCHANGE = 8,
  ACL_RT_ATOMIC_OPERATION_CAS = 9,
  ACL_RT_ATOMIC_OPERATION_FLOAT_ADD = 10,
  ACL_RT_ATOMIC_OPERATION_FLOAT_MIN = 11,
  ACL_RT_ATOMIC_OPERATION_FLOAT_MAX = 12,
  ACL_RT_ATOMIC_OPERATION_DMA_ADD = 30,
  ACL_RT_ATOMIC_OPERATION_DMA_MIN = 31,
  ACL_RT_ATOMIC_OPERATION_DMA_MAX = 32,
  ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_ADD = 40,
  ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_MIN = 41,
  ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_MAX = 42,
  ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_CAS = 43,
  ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_EXCH = 44
} aclrtAtomicOperation;

typedef enum aclRegisterCallbackType POOLPROOF_ACL_UNSIGNED {
  ACL_REG_TYPE_ACL_MODEL = 0,
  ACL_REG_TYPE_ACL_OP_EXECUTOR = 1,
  ACL_REG_TYPE_ACL_OP_CBLAS = 2,
  ACL_REG_TYPE_ACL_OP_COMPILER = 3,
  ACL_REG_TYPE_ACL_TDT_CHANNEL = 4,
  ACL_REG_TYPE_ACL_TDT_QUEUE = 5,
  ACL_REG_TYPE_ACL_DVPP = 6,
  ACL_REG_TYPE_ACL_RETR = 7,
  ACL_REG_TYPE_OTHER = 0xFFFF
} aclRegisterCallbackType;

typedef void (*aclrtDeviceStateCallback)(int32_t deviceId, aclrtDeviceState state, void* args);
typedef void (*aclrtStreamStateCallback)(aclrtStream stm, aclrtStreamState state, void* args);
typedef int32_t (*aclrtDeviceTaskAbortCallback)(int32_t deviceId, aclrtDeviceTaskAbortStage stage,
                                                uint32_t timeout, void* args);

// --- Structures -------------------------------------------------------------------------------

typedef struct aclrtMemManagedLocation {
  aclrtMemManagedLocationType type;
  int32_t id;
} aclrtMemManagedLocation;

typedef union aclrtMallocAttrValue {
  uint16_t moduleId;
  uint32_t deviceId;
  uint32_t vaFlag;
  uint8_t rsv[8];
} aclrtMallocAttrValue;

typedef struct aclrtMallocAttribute {
  aclrtMallocAttrType attr;
  aclrtMallocAttrValue value;
} aclrtMallocAttribute;

typedef struct aclrtMallocConfig {
  aclrtMallocAttribute* attrs;
  size_t numAttrs;
} aclrtMallocConfig;

typedef struct aclrtServerPid {
  uint32_t sdid;
  int32_t* pid;
  size_t num;
} aclrtServerPid;

typedef struct aclrtStreamConfigHandle {
  void* workptr;
  size_t workSize;
  size_t flag;
  uint32_t priority;
} aclrtStreamConfigHandle;

typedef struct aclrtUtilizationInfo {
  int32_t cubeUtilization;
  int32_t vectorUtilization;
  int32_t aicpuUtilization;
  int32_t memoryUtilization;
  aclrtUtilizationExtendInfo* utilizationExtend;
} aclrtUtilizationInfo;

typedef struct aclrtMemLocation {
  uint32_t id;
  aclrtMemLocationType type;
} aclrtMemLocation;

typedef struct aclrtPtrAttributes {
  aclrtMemLocation location;
  uint32_t pageSize;
  uint32_t rsv[4];
} aclrtPtrAttributes;

typedef struct aclrtMemUsageInfo {
  char name[32];
  uint64_t curMemSize;
  uint64_t memPeakSize;
  size_t reserved[8];
} aclrtMemUsageInfo;

typedef struct aclrtMemFabricHandle {
  uint8_t data[128];
} aclrtMemFabricHandle;

typedef struct aclrtPhysicalMemProp {
  aclrtMemHandleType handleType;
  aclrtMemAllocationType allocationType;
  aclrtMemAttr memAttr;
  aclrtMemLocation location;
  uint64_t reserve;
} aclrtPhysicalMemProp;

typedef struct aclrtMemUceInfo {
  void* addr;
  size_t len;
  size_t reserved[UCE_INFO_RESERVED_SIZE];
} aclrtMemUceInfo;

typedef struct aclrtMemUceInfoArray {
  size_t arraySize;
  aclrtMemUceInfo memUceInfoArray[ACL_RT_MEM_UCE_INFO_MAX_NUM];
} aclrtMemUceInfoArray;

typedef union aclrtErrorInfoDetail {
  aclrtMemUceInfoArray uceInfo;
  aclrtAicoreErrorType aicoreErrType;
} aclrtErrorInfoDetail;

typedef struct aclrtErrorInfo {
  uint8_t tryRepair;
  uint8_t hasDetail;
  uint8_t reserved[2];
  aclrtErrorType errorType;
  aclrtErrorInfoDetail detail;
} aclrtErrorInfo;

typedef union aclrtBinaryLoadOptionValue {
  uint32_t isLazyLoad;
  uint32_t magic;
  int32_t cpuKernelMode;
  uint32_t rsv[4];
} aclrtBinaryLoadOptionValue;

typedef struct aclrtBinaryLoadOption {
  aclrtBinaryLoadOptionType type;
  aclrtBinaryLoadOptionValue value;
} aclrtBinaryLoadOption;

typedef struct aclrtBinaryLoadOptions {
  aclrtBinaryLoadOption* options;
  size_t numOpt;
} aclrtBinaryLoadOptions;

typedef struct aclrtTimeoutUs {
  uint32_t timeoutLow;
  uint32_t timeoutHigh;
} aclrtTimeoutUs;

typedef union aclrtLaunchKernelAttrValue {
  uint8_t schemMode;
  uint32_t localMemorySize;
  uint32_t dynUBufSize;
  aclrtEngineType engineType;
  uint32_t blockDimOffset;
  uint8_t isBlockTaskPrefetch;
  uint8_t isDataDump;
  uint16_t timeout;
  aclrtTimeoutUs timeoutUs;
  uint8_t enableProfiling;
  uint32_t rsv[4];
} aclrtLaunchKernelAttrValue;

typedef struct aclrtLaunchKernelAttr {
  aclrtLaunchKernelAttrId id;
  aclrtLaunchKernelAttrValue value;
} aclrtLaunchKernelAttr;

typedef struct aclrtLaunchKernelCfg {
  aclrtLaunchKernelAttr* attrs;
  size_t numAttrs;
} aclrtLaunchKernelCfg;

typedef union aclrtStreamAttrValue {
  uint64_t failureMode;
  uint32_t overflowSwitch;
  uint32_t userCustomTag;
  uint32_t cacheOpInfoSwitch;
  uint32_t streamPriority;
  uint32_t reserve[4];
} aclrtStreamAttrValue;

typedef struct aclmdlRIKernelTaskParams {
  aclrtFuncHandle funcHandle;
  aclrtLaunchKernelCfg* cfg;
  void* args;
  uint32_t isHostArgs;
  size_t argsSize;
  uint32_t numBlocks;
  uint32_t rsv[10];
} aclmdlRIKernelTaskParams;

typedef struct aclmdlRIEventRecordTaskParams {
  aclrtEvent event;
  uint32_t eventFlag;
  uint32_t recordFlag;
} aclmdlRIEventRecordTaskParams;

typedef struct aclmdlRIEventWaitTaskParams {
  aclrtEvent event;
  uint32_t eventFlag;
  uint32_t waitFlag;
} aclmdlRIEventWaitTaskParams;

typedef struct aclmdlRIEventResetTaskParams {
  aclrtEvent event;
  uint32_t eventFlag;
  uint32_t resetFlag;
} aclmdlRIEventResetTaskParams;

typedef struct aclmdlRIValueWriteTaskParams {
  void* devAddr;
  uint64_t value;
} aclmdlRIValueWriteTaskParams;

typedef struct aclmdlRIValueWaitTaskParams {
  void* devAddr;
  uint64_t value;
  uint32_t flag;
} aclmdlRIValueWaitTaskParams;

typedef struct aclmdlRITaskParams {
  aclmdlRITaskType type;
  uint32_t rsv0[3];
  aclrtTaskGrp taskGrp;
  void* opInfoPtr;
  size_t opInfoSize;
  uint8_t rsv1[32];
  union {
    uint8_t rsv2[128];
    aclmdlRIKernelTaskParams kernelTaskParams;
    aclmdlRIEventRecordTaskParams eventRecordTaskParams;
    aclmdlRIEventWaitTaskParams eventWaitTaskParams;
    aclmdlRIEventResetTaskParams eventResetTaskParams;
    aclmdlRIValueWriteTaskParams valueWriteTaskParams;
    aclmdlRIValueWaitTaskParams valueWaitTaskParams;
  };
} aclmdlRITaskParams;

typedef struct tagAclmdlRICondTaskParams {
  aclmdlRICondHandle handle;
  aclmdlRICondTaskType type;
  uint32_t size;
  aclmdlRI* modelRIArray;
} aclmdlRICondTaskParams;

typedef struct aclrtBarrierCmoInfo {
  aclrtCmoType cmoType;
  uint32_t barrierId;
} aclrtBarrierCmoInfo;

typedef struct aclrtBarrierTaskInfo {
  size_t barrierNum;
  aclrtBarrierCmoInfo cmoInfo[ACL_RT_CMO_MAX_BARRIER_NUM];
} aclrtBarrierTaskInfo;

typedef struct aclrtMemcpyBatchAttr {
  aclrtMemLocation dstLoc;
  aclrtMemLocation srcLoc;
  uint8_t rsv[16];
} aclrtMemcpyBatchAttr;

typedef struct aclrtPlaceHolderInfo {
  uint32_t addrOffset;
  uint32_t dataOffset;
} aclrtPlaceHolderInfo;

typedef struct aclrtRandomParaInfo {
  uint8_t isAddr;
  uint8_t valueOrAddr[8];
  uint8_t size;
  uint8_t rsv[6];
} aclrtRandomParaInfo;

typedef struct aclrtDropoutBitmaskInfo {
  aclrtRandomParaInfo dropoutRation;
} aclrtDropoutBitmaskInfo;

typedef struct aclrtUniformDisInfo {
  aclrtRandomParaInfo min;
  aclrtRandomParaInfo max;
} aclrtUniformDisInfo;

typedef struct aclrtNormalDisInfo {
  aclrtRandomParaInfo mean;
  aclrtRandomParaInfo stddev;
} aclrtNormalDisInfo;

typedef struct aclrtRandomNumFuncParaInfo {
  aclrtRandomNumFuncType funcType;
  union {
    aclrtDropoutBitmaskInfo dropoutBitmaskInfo;
    aclrtUniformDisInfo uniformDisInfo;
    aclrtNormalDisInfo normalDisInfo;
  } paramInfo;
} aclrtRandomNumFuncParaInfo;

typedef struct aclrtRandomNumTaskInfo {
  aclDataType dataType;
  aclrtRandomNumFuncParaInfo randomNumFuncParaInfo;
  void* randomParaAddr;
  void* randomResultAddr;
  void* randomCounterAddr;
  aclrtRandomParaInfo randomSeed;
  aclrtRandomParaInfo randomNum;
  uint8_t rsv[8];
} aclrtRandomNumTaskInfo;

typedef struct aclrtRandomTaskUpdateAttr {
  void* srcAddr;
  size_t size;
  uint32_t rsv[4];
} aclrtRandomTaskUpdateAttr;

typedef struct aclrtAicAivTaskUpdateAttr {
  void* binHandle;
  void* funcEntryAddr;
  void* blockDimAddr;
  uint32_t rsv[4];
} aclrtAicAivTaskUpdateAttr;

typedef union aclrtUpdateTaskAttrVal {
  aclrtRandomTaskUpdateAttr randomTaskAttr;
  aclrtAicAivTaskUpdateAttr aicAivTaskAttr;
} aclrtUpdateTaskAttrVal;

typedef struct aclrtTaskUpdateInfo {
  aclrtUpdateTaskAttrId id;
  aclrtUpdateTaskAttrVal val;
} aclrtTaskUpdateInfo;

typedef struct aclrtSnapShotBackupArgs {
  uint32_t backupFlags;
  char reserved[60];
} aclrtSnapShotBackupArgs;

typedef struct aclrtSnapShotRestoreArgs {
  uint32_t restoreFlags;
  char reserved[60];
} aclrtSnapShotRestoreArgs;

typedef struct aclrtUuid {
  char bytes[16];
} aclrtUuid;

typedef struct aclrtCntNotifyRecordInfo {
  aclrtCntNotifyRecordMode mode;
  uint32_t value;
} aclrtCntNotifyRecordInfo;

typedef struct aclrtCntNotifyWaitInfo {
  aclrtCntNotifyWaitMode mode;
  uint32_t value;
  uint32_t timeout;
  uint8_t isClear;
  uint8_t rsv[3];
} aclrtCntNotifyWaitInfo;

typedef struct aclrtMemAccessDesc {
  aclrtMemAccessFlags flags;
  aclrtMemLocation location;
  uint8_t rsv[12];
} aclrtMemAccessDesc;

typedef struct aclCANNPackageVersion {
  char version[ACL_PKG_VERSION_MAX_SIZE];
  char majorVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
  char minorVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
  char releaseVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
  char patchVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
  char reserved[ACL_PKG_VERSION_MAX_SIZE];
} aclCANNPackageVersion;

typedef struct aclrtIpcEventHandle {
  char reserved[ACL_IPC_EVENT_HANDLE_SIZE];
} aclrtIpcEventHandle;

typedef struct aclrtAddrRange {
  void* startAddr;
  void* endAddr;
} aclrtAddrRange;

struct MemAttrMapping {
  uint32_t pgType;
  uint32_t memType;
  bool isHostAlloc;
  aclrtMemAttr memAttr;
};

// --- The process -------------------------------------------------------------------------------

POOLPROOF_ACL_DECLARED aclError aclsysGetCANNVersion(aclCANNPackageName name,
                                                     aclCANNPackageVersion* version);
POOLPROOF_ACL_DECLARED aclError aclsysGetVersionStr(char* pkgName, char* versionStr);
POOLPROOF_ACL_DECLARED aclError aclsysGetVersionNum(char* pkgName, int32_t* versionNum);
POOLPROOF_ACL_DECLARED aclError aclInitCallbackRegister(aclRegisterCallbackType type,
                                                        aclInitCallbackFunc cbFunc, void* userData);
POOLPROOF_ACL_DECLARED aclError aclInitCallbackUnRegister(aclRegisterCallbackType type,
                                                          aclInitCallbackFunc cbFunc);
POOLPROOF_ACL_DECLARED aclError aclFinalizeCallbackRegister(aclRegisterCallbackType type,
                                                            aclFinalizeCallbackFunc cbFunc,
                                                            void* userData);
POOLPROOF_ACL_DECLARED aclError aclFinalizeCallbackUnRegister(aclRegisterCallbackType type,
                                                              aclFinalizeCallbackFunc cbFunc);
POOLPROOF_ACL_DECLARED aclError aclrtApiInjectionSetFunc(const char* name, aclrtApiFunc func);
POOLPROOF_ACL_DECLARED aclError aclrtApiInjectionGetFunc(const char* name, aclrtApiFunc* originFunc,
                                                         aclrtApiFunc* currentFunc);
POOLPROOF_ACL_DECLARED aclError aclrtSnapShotProcessLock(int pid, void* reserve);
POOLPROOF_ACL_DECLARED aclError aclrtSnapShotProcessUnlock(int pid, void* reserve);
POOLPROOF_ACL_DECLARED aclError aclrtSnapShotProcessBackup(int pid, aclrtSnapShotBackupArgs* args);
POOLPROOF_ACL_DECLARED aclError aclrtSnapShotProcessRestore(int pid,
                                                            aclrtSnapShotRestoreArgs* args);
POOLPROOF_ACL_DECLARED aclError aclrtSnapShotCallbackRegister(aclrtSnapShotStage stage,
                                                              aclrtSnapShotCallBack callback,
                                                              void* args);
POOLPROOF_ACL_DECLARED aclError aclrtSnapShotCallbackUnregister(aclrtSnapShotStage stage,
                                                                aclrtSnapShotCallBack callback);

// --- Errors and exceptions ---------------------------------------------------------------------

POOLPROOF_ACL_DECLARED aclError aclrtPeekAtLastError(aclrtLastErrLevel level);
POOLPROOF_ACL_DECLARED aclError aclrtGetLastError(aclrtLastErrLevel level);
POOLPROOF_ACL_DECLARED aclError aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback callback);
POOLPROOF_ACL_DECLARED aclError
aclrtExceptionInfoCallbackRegister(aclrtExceptionInfoCallback callback);
POOLPROOF_ACL_DECLARED aclError
aclrtExceptionInfoCallbackUnregister(aclrtExceptionInfoCallback callback);
POOLPROOF_ACL_DECLARED uint32_t aclrtGetTaskIdFromExceptionInfo(const aclrtExceptionInfo* info);
POOLPROOF_ACL_DECLARED uint32_t aclrtGetStreamIdFromExceptionInfo(const aclrtExceptionInfo* info);
POOLPROOF_ACL_DECLARED uint32_t aclrtGetThreadIdFromExceptionInfo(const aclrtExceptionInfo* info);
POOLPROOF_ACL_DECLARED uint32_t aclrtGetDeviceIdFromExceptionInfo(const aclrtExceptionInfo* info);
POOLPROOF_ACL_DECLARED uint32_t aclrtGetErrorCodeFromExceptionInfo(const aclrtExceptionInfo* info);
POOLPROOF_ACL_DECLARED aclError aclrtGetArgsFromExceptionInfo(const aclrtExceptionInfo* info,
                                                              void** devArgsPtr,
                                                              uint32_t* devArgsLen);
POOLPROOF_ACL_DECLARED aclError aclrtGetFuncHandleFromExceptionInfo(const aclrtExceptionInfo* info,
                                                                    aclrtFuncHandle* func);
POOLPROOF_ACL_DECLARED aclError aclrtGetErrorVerbose(int32_t deviceId, aclrtErrorInfo* errorInfo);
POOLPROOF_ACL_DECLARED aclError aclrtRepairError(int32_t deviceId, const aclrtErrorInfo* errorInfo);
POOLPROOF_ACL_DECLARED aclError aclrtGetMemUceInfo(int32_t deviceId,
                                                   aclrtMemUceInfo* memUceInfoArray,
                                                   size_t arraySize, size_t* retSize);
POOLPROOF_ACL_DECLARED aclError aclrtMemUceRepair(int32_t deviceId,
                                                  aclrtMemUceInfo* memUceInfoArray,
                                                  size_t arraySize);

// --- Devices and contexts ----------------------------------------------------------------------

POOLPROOF_ACL_DECLARED aclError aclrtSetTsDevice(aclrtTsId tsId);
POOLPROOF_ACL_DECLARED aclError
aclrtGetDeviceUtilizationRate(int32_t deviceId, aclrtUtilizationInfo* utilizationInfo);
POOLPROOF_ACL_DECLARED aclError aclrtQueryDeviceStatus(int32_t deviceId,
                                                       aclrtDeviceStatus* deviceStatus);
POOLPROOF_ACL_DECLARED aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr,
                                                   int64_t* value);
POOLPROOF_ACL_DECLARED aclError aclrtGetDeviceCapability(int32_t deviceId,
                                                         aclrtDevFeatureType devFeatureType,
                                                         int32_t* value);
POOLPROOF_ACL_DECLARED aclError aclrtDeviceGetStreamPriorityRange(int32_t* leastPriority,
                                                                  int32_t* greatestPriority);
POOLPROOF_ACL_DECLARED aclError aclrtDeviceGetUuid(int32_t deviceId, aclrtUuid* uuid);
POOLPROOF_ACL_DECLARED aclError aclrtDeviceSetLimit(aclrtDeviceLimit limit, size_t value);
POOLPROOF_ACL_DECLARED aclError aclrtDeviceGetLimit(aclrtDeviceLimit limit, size_t* value);
POOLPROOF_ACL_DECLARED aclError aclrtDeviceGetPCIBusId(int32_t deviceId, char* pciBusId,
                                                       int32_t len);
POOLPROOF_ACL_DECLARED aclError aclrtDeviceGetByPCIBusId(const char* pciBusId, int32_t* deviceId);
POOLPROOF_ACL_DECLARED aclError
aclrtDeviceGetHostAtomicCapabilities(uint32_t* capabilities, const aclrtAtomicOperation* operations,
                                     const uint32_t count, int32_t deviceId);
POOLPROOF_ACL_DECLARED aclError
aclrtDeviceGetP2PAtomicCapabilities(uint32_t* capabilities, const aclrtAtomicOperation* operations,
                                    const uint32_t count, int32_t srcDeviceId, int32_t dstDeviceId);
POOLPROOF_ACL_DECLARED aclError aclrtDeviceGetBareTgid(int32_t* pid);
POOLPROOF_ACL_DECLARED aclError aclrtDeviceTaskAbort(int32_t deviceId, uint32_t timeout);
POOLPROOF_ACL_DECLARED aclError aclrtDeviceL2CacheFlush(void* rsv);
POOLPROOF_ACL_DECLARED aclError aclrtDeviceCanAccessPeer(int32_t* canAccessPeer, int32_t deviceId,
                                                         int32_t peerDeviceId);
POOLPROOF_ACL_DECLARED aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags);
POOLPROOF_ACL_DECLARED aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId);
POOLPROOF_ACL_DECLARED aclError aclrtDevicePeerAccessStatus(int32_t deviceId, int32_t peerDeviceId,
                                                            int32_t* status);
POOLPROOF_ACL_DECLARED aclError aclrtGetDevicesTopo(uint32_t deviceId, uint32_t otherDeviceId,
                                                    uint64_t* value);
POOLPROOF_ACL_DECLARED aclError aclrtGetLogicDevIdByUserDevId(const int32_t userDevid,
                                                              int32_t* const logicDevId);
POOLPROOF_ACL_DECLARED aclError aclrtGetUserDevIdByLogicDevId(const int32_t logicDevId,
                                                              int32_t* const userDevid);
POOLPROOF_ACL_DECLARED aclError aclrtGetLogicDevIdByPhyDevId(const int32_t phyDevId,
                                                             int32_t* const logicDevId);
POOLPROOF_ACL_DECLARED aclError aclrtGetPhyDevIdByLogicDevId(const int32_t logicDevId,
                                                             int32_t* const phyDevId);
POOLPROOF_ACL_DECLARED aclError aclrtGetUserDevIdByPhyDevId(const int32_t phyDevId,
                                                            int32_t* const userDevId);
POOLPROOF_ACL_DECLARED aclError aclrtGetPhyDevIdByUserDevId(const int32_t userDevId,
                                                            int32_t* const phyDevId);
POOLPROOF_ACL_DECLARED aclError aclrtCheckArchCompatibility(const char* socVersion,
                                                            int32_t* canCompatible);
POOLPROOF_ACL_DECLARED aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode);
POOLPROOF_ACL_DECLARED aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode* mode);
POOLPROOF_ACL_DECLARED aclError aclrtGetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type,
                                                       uint32_t* value);
POOLPROOF_ACL_DECLARED aclError aclrtSetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type,
                                                       uint32_t value);
POOLPROOF_ACL_DECLARED aclError aclrtResetDeviceResLimit(int32_t deviceId);
POOLPROOF_ACL_DECLARED aclError aclrtGetResInCurrentThread(aclrtDevResLimitType type,
                                                           uint32_t* value);
POOLPROOF_ACL_DECLARED aclError aclrtRegDeviceStateCallback(const char* regName,
                                                            aclrtDeviceStateCallback callback,
                                                            void* args);
POOLPROOF_ACL_DECLARED aclError aclrtSetDeviceTaskAbortCallback(
    const char* regName, aclrtDeviceTaskAbortCallback callback, void* args);
POOLPROOF_ACL_DECLARED aclError aclrtCtxGetCurrentDefaultStream(aclrtStream* stream);
POOLPROOF_ACL_DECLARED aclError aclrtCtxGetFloatOverflowAddr(void** overflowAddr);
POOLPROOF_ACL_DECLARED aclError aclrtGetPrimaryCtxState(int32_t deviceId, uint32_t* flags,
                                                        int32_t* active);
POOLPROOF_ACL_DECLARED aclError aclrtSetGroup(int32_t groupId);
POOLPROOF_ACL_DECLARED aclError aclrtGetGroupCount(uint32_t* count);
POOLPROOF_ACL_DECLARED aclrtGroupInfo* aclrtCreateGroupInfo(void);
POOLPROOF_ACL_DECLARED aclError aclrtDestroyGroupInfo(aclrtGroupInfo* groupInfo);
POOLPROOF_ACL_DECLARED aclError aclrtGetAllGroupInfo(aclrtGroupInfo* groupInfo);
POOLPROOF_ACL_DECLARED aclError aclrtGetGroupInfoDetail(const aclrtGroupInfo* groupInfo,
                                                        int32_t groupIndex, aclrtGroupAttr attr,
                                                        void* attrValue, size_t valueLen,
                                                        size_t* paramRetSize);

// --- Streams, callbacks and timeouts -----------------------------------------------------------

POOLPROOF_ACL_DECLARED aclrtStreamConfigHandle* aclrtCreateStreamConfigHandle(void);
POOLPROOF_ACL_DECLARED aclError aclrtDestroyStreamConfigHandle(aclrtStreamConfigHandle* handle);
POOLPROOF_ACL_DECLARED aclError aclrtSetStreamConfigOpt(aclrtStreamConfigHandle* handle,
                                                        aclrtStreamConfigAttr attr,
                                                        const void* attrValue, size_t valueSize);
POOLPROOF_ACL_DECLARED aclError aclrtCreateStreamV2(aclrtStream* stream,
                                                    const aclrtStreamConfigHandle* handle);
POOLPROOF_ACL_DECLARED aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus* status);
POOLPROOF_ACL_DECLARED aclError aclrtStreamGetPriority(aclrtStream stream, uint32_t* priority);
POOLPROOF_ACL_DECLARED aclError aclrtStreamGetFlags(aclrtStream stream, uint32_t* flags);
POOLPROOF_ACL_DECLARED aclError aclrtStreamGetId(aclrtStream stream, int32_t* streamId);
POOLPROOF_ACL_DECLARED aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event);
POOLPROOF_ACL_DECLARED aclError aclrtStreamWaitEventWithFlag(aclrtStream stream, aclrtEvent event,
                                                             uint32_t timeout, uint32_t flag);
POOLPROOF_ACL_DECLARED aclError aclrtStreamWaitEventWithTimeout(aclrtStream stream,
                                                                aclrtEvent event, int32_t timeout);
POOLPROOF_ACL_DECLARED aclError aclrtStreamAbort(aclrtStream stream);
POOLPROOF_ACL_DECLARED aclError aclrtStreamStop(aclrtStream stream);
POOLPROOF_ACL_DECLARED aclError aclrtPersistentTaskClean(aclrtStream stream);
POOLPROOF_ACL_DECLARED aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode);
POOLPROOF_ACL_DECLARED aclError aclrtSetStreamAttribute(aclrtStream stream,
                                                        aclrtStreamAttr stmAttrType,
                                                        aclrtStreamAttrValue* value);
POOLPROOF_ACL_DECLARED aclError aclrtGetStreamAttribute(aclrtStream stream,
                                                        aclrtStreamAttr stmAttrType,
                                                        aclrtStreamAttrValue* value);
POOLPROOF_ACL_DECLARED aclError aclrtGetStreamAvailableNum(uint32_t* streamCount);
POOLPROOF_ACL_DECLARED aclError aclrtGetStreamResLimit(aclrtStream stream,
                                                       aclrtDevResLimitType type, uint32_t* value);
POOLPROOF_ACL_DECLARED aclError aclrtSetStreamResLimit(aclrtStream stream,
                                                       aclrtDevResLimitType type, uint32_t value);
POOLPROOF_ACL_DECLARED aclError aclrtResetStreamResLimit(aclrtStream stream);
POOLPROOF_ACL_DECLARED aclError aclrtUseStreamResInCurrentThread(aclrtStream stream);
POOLPROOF_ACL_DECLARED aclError aclrtUnuseStreamResInCurrentThread(aclrtStream stream);
POOLPROOF_ACL_DECLARED aclError aclrtSetStreamOverflowSwitch(aclrtStream stream, uint32_t flag);
POOLPROOF_ACL_DECLARED aclError aclrtGetStreamOverflowSwitch(aclrtStream stream, uint32_t* flag);
POOLPROOF_ACL_DECLARED aclError aclrtGetOverflowStatus(void* outputAddr, size_t outputSize,
                                                       aclrtStream stream);
POOLPROOF_ACL_DECLARED aclError aclrtResetOverflowStatus(aclrtStream stream);
POOLPROOF_ACL_DECLARED aclError aclrtGetFloatOverflowStatus(void* outputAddr, uint64_t outputSize,
                                                            aclrtStream stream);
POOLPROOF_ACL_DECLARED aclError aclrtResetFloatOverflowStatus(aclrtStream stream);
POOLPROOF_ACL_DECLARED aclError aclrtNpuGetFloatOverFlowStatus(void* outputAddr,
                                                               uint64_t outputSize,
                                                               uint32_t checkMode,
                                                               aclrtStream stream);
POOLPROOF_ACL_DECLARED aclError aclrtNpuClearFloatOverFlowStatus(uint32_t checkMode,
                                                                 aclrtStream stream);
POOLPROOF_ACL_DECLARED aclError aclrtActiveStream(aclrtStream activeStream, aclrtStream stream);
POOLPROOF_ACL_DECLARED aclError aclrtSwitchStream(void* leftValue, aclrtCondition cond,
                                                  void* rightValue, aclrtCompareDataType dataType,
                                                  aclrtStream trueStream, aclrtStream falseStream,
                                                  aclrtStream stream);
POOLPROOF_ACL_DECLARED aclError aclrtRegStreamStateCallback(const char* regName,
                                                            aclrtStreamStateCallback callback,
                                                            void* args);
POOLPROOF_ACL_DECLARED aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream);
POOLPROOF_ACL_DECLARED aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream);
POOLPROOF_ACL_DECLARED aclError aclrtProcessReport(int32_t timeout);
POOLPROOF_ACL_DECLARED aclError aclrtLaunchCallback(aclrtCallback fn, void* userData,
                                                    aclrtCallbackBlockType blockType,
                                                    aclrtStream stream);
POOLPROOF_ACL_DECLARED aclError aclrtSubscribeHostFunc(uint64_t hostFuncThreadId,
                                                       aclrtStream exeStream);
POOLPROOF_ACL_DECLARED aclError aclrtUnSubscribeHostFunc(uint64_t hostFuncThreadId,
                                                         aclrtStream exeStream);
POOLPROOF_ACL_DECLARED aclError aclrtProcessHostFunc(int32_t timeout);
POOLPROOF_ACL_DECLARED aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn,
                                                    void* args);
POOLPROOF_ACL_DECLARED aclError aclrtSetOpWaitTimeout(uint32_t timeout);
POOLPROOF_ACL_DECLARED aclError aclrtSetOpExecuteTimeOut(uint32_t timeout);
POOLPROOF_ACL_DECLARED aclError aclrtSetOpExecuteTimeOutWithMs(uint32_t timeout);
POOLPROOF_ACL_DECLARED aclError aclrtSetOpExecuteTimeOutV2(uint64_t timeout,
                                                           uint64_t* actualTimeout);
POOLPROOF_ACL_DECLARED aclError aclrtGetOpTimeOutInterval(uint64_t* interval);
POOLPROOF_ACL_DECLARED aclError aclrtGetOpExecuteTimeout(uint32_t* const timeoutMs);
POOLPROOF_ACL_DECLARED aclError aclrtGetThreadLastTaskId(uint32_t* taskId);
POOLPROOF_ACL_DECLARED aclError aclrtProfTrace(void* userdata, int32_t length, aclrtStream stream);
POOLPROOF_ACL_DECLARED aclError aclrtCacheLastTaskOpInfo(const void* const infoPtr,
                                                         const size_t infoSize);
POOLPROOF_ACL_DECLARED aclError aclrtCacheLastTaskExtendInfo(const char* const extendInfoPtr,
                                                             const size_t infoSize);
POOLPROOF_ACL_DECLARED aclError aclrtTaskUpdateAsync(aclrtStream taskStream, uint32_t taskId,
                                                     aclrtTaskUpdateInfo* info,
                                                     aclrtStream execStream);

// --- Events, notifies and labels ---------------------------------------------------------------

POOLPROOF_ACL_DECLARED aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t flag);
POOLPROOF_ACL_DECLARED aclError aclrtCreateEventExWithFlag(aclrtEvent* event, uint32_t flag);
POOLPROOF_ACL_DECLARED aclError aclrtRecordEventWithFlag(aclrtEvent event, aclrtStream stream,
                                                         uint32_t flag);
POOLPROOF_ACL_DECLARED aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream);
POOLPROOF_ACL_DECLARED aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus* status);
POOLPROOF_ACL_DECLARED aclError aclrtQueryEventStatus(aclrtEvent event,
                                                      aclrtEventRecordedStatus* status);
POOLPROOF_ACL_DECLARED aclError aclrtQueryEventWaitStatus(aclrtEvent event,
                                                          aclrtEventWaitStatus* status);
POOLPROOF_ACL_DECLARED aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout);
POOLPROOF_ACL_DECLARED aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t* timestamp);
POOLPROOF_ACL_DECLARED aclError aclrtGetEventId(aclrtEvent event, uint32_t* eventId);
POOLPROOF_ACL_DECLARED aclError aclrtGetEventAvailNum(uint32_t* eventCount);
POOLPROOF_ACL_DECLARED aclError aclrtIpcGetEventHandle(aclrtEvent event,
                                                       aclrtIpcEventHandle* handle);
POOLPROOF_ACL_DECLARED aclError aclrtIpcOpenEventHandle(aclrtIpcEventHandle handle,
                                                        aclrtEvent* event);
POOLPROOF_ACL_DECLARED aclError aclrtCreateNotify(aclrtNotify* notify, uint64_t flag);
POOLPROOF_ACL_DECLARED aclError aclrtDestroyNotify(aclrtNotify notify);
POOLPROOF_ACL_DECLARED aclError aclrtRecordNotify(aclrtNotify notify, aclrtStream stream);
POOLPROOF_ACL_DECLARED aclError aclrtWaitAndResetNotify(aclrtNotify notify, aclrtStream stream,
                                                        uint32_t timeout);
POOLPROOF_ACL_DECLARED aclError aclrtGetNotifyId(aclrtNotify notify, uint32_t* notifyId);
POOLPROOF_ACL_DECLARED aclError aclrtNotifyBatchReset(aclrtNotify* notifies, size_t num);
POOLPROOF_ACL_DECLARED aclError aclrtNotifyGetExportKey(aclrtNotify notify, char* key, size_t len,
                                                        uint64_t flags);
POOLPROOF_ACL_DECLARED aclError aclrtNotifyImportByKey(aclrtNotify* notify, const char* key,
                                                       uint64_t flags);
POOLPROOF_ACL_DECLARED aclError aclrtNotifySetImportPid(aclrtNotify notify, int32_t* pid,
                                                        size_t num);
POOLPROOF_ACL_DECLARED aclError aclrtNotifySetImportPidInterServer(aclrtNotify notify,
                                                                   aclrtServerPid* serverPids,
                                                                   size_t num);
POOLPROOF_ACL_DECLARED aclError aclrtCntNotifyCreate(aclrtCntNotify* cntNotify, uint64_t flag);
POOLPROOF_ACL_DECLARED aclError aclrtCntNotifyDestroy(aclrtCntNotify cntNotify);
POOLPROOF_ACL_DECLARED aclError aclrtCntNotifyRecord(aclrtCntNotify cntNotify, aclrtStream stream,
                                                     aclrtCntNotifyRecordInfo* info);
POOLPROOF_ACL_DECLARED aclError aclrtCntNotifyWaitWithTimeout(aclrtCntNotify cntNotify,
                                                              aclrtStream stream,
                                                              aclrtCntNotifyWaitInfo* info);
POOLPROOF_ACL_DECLARED aclError aclrtCntNotifyReset(aclrtCntNotify cntNotify, aclrtStream stream);
POOLPROOF_ACL_DECLARED aclError aclrtCntNotifyGetId(aclrtCntNotify cntNotify, uint32_t* notifyId);
POOLPROOF_ACL_DECLARED aclError aclrtCreateLabel(aclrtLabel* label);
POOLPROOF_ACL_DECLARED aclError aclrtSetLabel(aclrtLabel label, aclrtStream stream);
POOLPROOF_ACL_DECLARED aclError aclrtDestroyLabel(aclrtLabel label);
POOLPROOF_ACL_DECLARED aclError aclrtCreateLabelList(aclrtLabel* labels, size_t num,
                                                     aclrtLabelList* labelList);
POOLPROOF_ACL_DECLARED aclError aclrtDestroyLabelList(aclrtLabelList labelList);
POOLPROOF_ACL_DECLARED aclError aclrtSwitchLabelByIndex(void* ptr, uint32_t maxValue,
                                                        aclrtLabelList labelList,
                                                        aclrtStream stream);

// --- Memory ------------------------------------------------------------------------------------

POOLPROOF_ACL_DECLARED aclError aclrtMallocWithCfg(void** devPtr, size_t size,
                                                   aclrtMemMallocPolicy policy,
                                                   aclrtMallocConfig* cfg);
POOLPROOF_ACL_DECLARED aclError aclrtMallocForTaskScheduler(void** devPtr, size_t size,
                                                            aclrtMemMallocPolicy policy,
                                                            aclrtMallocConfig* cfg);
POOLPROOF_ACL_DECLARED aclError aclrtMallocHostWithCfg(void** ptr, uint64_t size,
                                                       aclrtMallocConfig* cfg);
POOLPROOF_ACL_DECLARED aclError aclrtFreeWithDevSync(void* devPtr);
POOLPROOF_ACL_DECLARED aclError aclrtFreeHostWithDevSync(void* hostPtr);
POOLPROOF_ACL_DECLARED aclError aclrtMemAllocManaged(void** ptr, uint64_t size, uint32_t flag);
POOLPROOF_ACL_DECLARED aclError aclrtMemManagedGetAttr(aclrtMemManagedRangeAttribute attribute,
                                                       const void* ptr, size_t size, void* data,
                                                       size_t dataSize);
POOLPROOF_ACL_DECLARED aclError aclrtMemManagedGetAttrs(aclrtMemManagedRangeAttribute* attributes,
                                                        size_t numAttributes, const void* ptr,
                                                        size_t size, void** data,
                                                        size_t* dataSizes);
POOLPROOF_ACL_DECLARED aclError aclrtMemManagedAdvise(const void* const ptr, uint64_t size,
                                                      aclrtMemManagedAdviseType advise,
                                                      aclrtMemManagedLocation location);
POOLPROOF_ACL_DECLARED aclError aclrtMemManagedPrefetchAsync(const void* ptr, size_t size,
                                                             aclrtMemManagedLocation location,
                                                             uint32_t flags, aclrtStream stream);
POOLPROOF_ACL_DECLARED aclError aclrtMemManagedPrefetchBatchAsync(
    const void** ptrs, size_t* sizes, size_t count, aclrtMemManagedLocation* prefetchLocs,
    size_t* prefetchLocIdxs, size_t numPrefetchLocs, uint64_t flags, aclrtStream stream);
POOLPROOF_ACL_DECLARED aclError aclrtPointerGetAttributes(const void* ptr,
                                                          aclrtPtrAttributes* attributes);
POOLPROOF_ACL_DECLARED aclError aclrtHostRegister(void* ptr, uint64_t size,
                                                  aclrtHostRegisterType type, void** devPtr);
POOLPROOF_ACL_DECLARED aclError aclrtHostRegisterV2(void* ptr, uint64_t size, uint32_t flag);
POOLPROOF_ACL_DECLARED aclError aclrtHostGetDevicePointer(void* pHost, void** pDevice,
                                                          uint32_t flag);
POOLPROOF_ACL_DECLARED aclError aclrtHostGetDevicePointerAddrRange(aclrtAddrRange* addrRange,
                                                                   uint32_t* count);
POOLPROOF_ACL_DECLARED aclError aclrtHostUnregister(void* ptr);
POOLPROOF_ACL_DECLARED aclError aclrtHostMemMapCapabilities(
    uint32_t deviceId, aclrtHacType hacType, aclrtHostMemMapCapability* capabilities);
POOLPROOF_ACL_DECLARED aclError aclrtMemFlush(void* devPtr, size_t size);
POOLPROOF_ACL_DECLARED aclError aclrtMemInvalidate(void* devPtr, size_t size);
POOLPROOF_ACL_DECLARED aclError aclrtMemsetD32(void* ptr, size_t memSize, uint32_t value, size_t N);
POOLPROOF_ACL_DECLARED aclError aclrtMemsetD32Async(void* ptr, size_t memSize, uint32_t value,
                                                    size_t N, aclrtStream stream);
POOLPROOF_ACL_DECLARED aclError aclrtMemcpyAsyncWithCondition(void* dst, size_t destMax,
                                                              const void* src, size_t count,
                                                              aclrtMemcpyKind kind,
                                                              aclrtStream stream);
POOLPROOF_ACL_DECLARED aclError aclrtMemcpyAsyncWithOffset(void** dst, size_t destMax,
                                                           size_t dstDataOffset, const void** src,
                                                           size_t count, size_t srcDataOffset,
                                                           aclrtMemcpyKind kind,
                                                           aclrtStream stream);
POOLPROOF_ACL_DECLARED aclError aclrtMemcpyAsyncWithDesc(void* desc, aclrtMemcpyKind kind,
                                                         aclrtStream stream);
POOLPROOF_ACL_DECLARED aclError aclrtGetMemcpyDescSize(aclrtMemcpyKind kind, size_t* descSize);
POOLPROOF_ACL_DECLARED aclError aclrtSetMemcpyDesc(void* desc, aclrtMemcpyKind kind, void* srcAddr,
                                                   void* dstAddr, size_t count, void* config);
POOLPROOF_ACL_DECLARED aclError aclrtMemcpy2d(void* dst, size_t dpitch, const void* src,
                                              size_t spitch, size_t width, size_t height,
                                              aclrtMemcpyKind kind);
POOLPROOF_ACL_DECLARED aclError aclrtMemcpy2dAsync(void* dst, size_t dpitch, const void* src,
                                                   size_t spitch, size_t width, size_t height,
                                                   aclrtMemcpyKind kind, aclrtStream stream);
POOLPROOF_ACL_DECLARED aclError aclrtMemcpyBatch(void** dsts, size_t* destMaxs, void** srcs,
                                                 size_t* sizes, size_t numBatches,
                                                 aclrtMemcpyBatchAttr* attrs, size_t* attrsIndexes,
                                                 size_t numAttrs, size_t* failIndex);
POOLPROOF_ACL_DECLARED aclError aclrtMemcpyBatchV2(void** dsts, size_t* destMaxs, void** srcs,
                                                   size_t* sizes, size_t numBatches,
                                                   aclrtMemcpyBatchAttr* attrs,
                                                   size_t* attrsIndexes, size_t numAttrs);
POOLPROOF_ACL_DECLARED aclError aclrtMemcpyBatchAsync(void** dsts, size_t* destMaxs, void** srcs,
                                                      size_t* sizes, size_t numBatches,
                                                      aclrtMemcpyBatchAttr* attrs,
                                                      size_t* attrsIndexes, size_t numAttrs,
                                                      size_t* failIndex, aclrtStream stream);
POOLPROOF_ACL_DECLARED aclError aclrtMemcpyBatchAsyncV2(void** dsts, size_t* destMaxs, void** srcs,
                                                        size_t* sizes, size_t numBatches,
                                                        aclrtMemcpyBatchAttr* attrs,
                                                        size_t* attrsIndexes, size_t numAttrs,
                                                        aclrtStream stream);
POOLPROOF_ACL_DECLARED aclError aclrtGetSymbolAddress(const void* symbol, void** devPtr);
POOLPROOF_ACL_DECLARED aclError aclrtGetSymbolSize(const void* symbol, size_t* size);
POOLPROOF_ACL_DECLARED aclError aclrtMemcpyFromSymbol(void* dst, size_t dstMax, const void* symbol,
                                                      size_t count, size_t offset,
                                                      aclrtMemcpyKind kind);
POOLPROOF_ACL_DECLARED aclError aclrtMemcpyFromSymbolAsync(void* dst, size_t dstMax,
                                                           const void* symbol, size_t count,
                                                           size_t offset, aclrtMemcpyKind kind,
                                                           aclrtStream stream);
POOLPROOF_ACL_DECLARED aclError aclrtMemcpyToSymbol(const void* symbol, const void* src,
                                                    size_t count, size_t offset,
                                                    aclrtMemcpyKind kind);
POOLPROOF_ACL_DECLARED aclError aclrtMemcpyToSymbolAsync(const void* symbol, const void* src,
                                                         size_t count, size_t offset,
                                                         aclrtMemcpyKind kind, aclrtStream stream);
POOLPROOF_ACL_DECLARED aclError aclrtReduceAsync(void* dst, const void* src, uint64_t count,
                                                 aclrtReduceKind kind, aclDataType type,
                                                 aclrtStream stream, void* reserve);
POOLPROOF_ACL_DECLARED aclError aclrtReserveMemAddress(void** virPtr, size_t size, size_t alignment,
                                                       void* expectPtr, uint64_t flags);
POOLPROOF_ACL_DECLARED aclError aclrtReserveMemAddressNoUCMemory(void** virPtr, size_t size,
                                                                 size_t alignment, void* expectPtr,
                                                                 uint64_t flags);
POOLPROOF_ACL_DECLARED aclError aclrtReleaseMemAddress(void* virPtr);
POOLPROOF_ACL_DECLARED aclError aclrtMallocPhysical(aclrtDrvMemHandle* handle, size_t size,
                                                    const aclrtPhysicalMemProp* prop,
                                                    uint64_t flags);
POOLPROOF_ACL_DECLARED aclError aclrtFreePhysical(aclrtDrvMemHandle handle);
POOLPROOF_ACL_DECLARED aclError aclrtMapMem(void* virPtr, size_t size, size_t offset,
                                            aclrtDrvMemHandle handle, uint64_t flags);
POOLPROOF_ACL_DECLARED aclError aclrtUnmapMem(void* virPtr);
POOLPROOF_ACL_DECLARED aclError aclrtMemMapNoAccess(void* virPtr, size_t size, size_t offset,
                                                    aclrtDrvMemHandle handle, uint64_t flags);
POOLPROOF_ACL_DECLARED aclError aclrtMemMapSelectedLink(void* virPtrDst, size_t size,
                                                        void* virPtrSrc, uint32_t linkIdx);
POOLPROOF_ACL_DECLARED aclError aclrtMemMapSetLink(aclrtDrvMemHandle handle,
                                                   aclrtMemLinkType adviceLink);
POOLPROOF_ACL_DECLARED aclError aclrtMemSetAccess(void* virPtr, size_t size,
                                                  aclrtMemAccessDesc* desc, size_t count);
POOLPROOF_ACL_DECLARED aclError aclrtMemGetAccess(void* virPtr, aclrtMemLocation* location,
                                                  uint64_t* flag);
POOLPROOF_ACL_DECLARED aclError aclrtMemRetainAllocationHandle(void* virPtr,
                                                               aclrtDrvMemHandle* handle);
POOLPROOF_ACL_DECLARED aclError
aclrtMemGetAllocationPropertiesFromHandle(aclrtDrvMemHandle handle, aclrtPhysicalMemProp* prop);
POOLPROOF_ACL_DECLARED aclError aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp* prop,
                                                                 aclrtMemGranularityOptions option,
                                                                 size_t* granularity);
POOLPROOF_ACL_DECLARED aclError aclrtMemGetAddressRange(void* ptr, void** pbase, size_t* psize);
POOLPROOF_ACL_DECLARED aclError aclrtMemP2PMap(void* devPtr, size_t size, int32_t dstDevId,
                                               uint64_t flags);
POOLPROOF_ACL_DECLARED aclError aclrtMemExportToShareableHandle(aclrtDrvMemHandle handle,
                                                                aclrtMemHandleType handleType,
                                                                uint64_t flags,
                                                                uint64_t* shareableHandle);
POOLPROOF_ACL_DECLARED aclError
aclrtMemExportToShareableHandleV2(aclrtDrvMemHandle handle, uint64_t flags,
                                  aclrtMemSharedHandleType shareType, void* shareableHandle);
POOLPROOF_ACL_DECLARED aclError aclrtMemImportFromShareableHandle(uint64_t shareableHandle,
                                                                  int32_t deviceId,
                                                                  aclrtDrvMemHandle* handle);
POOLPROOF_ACL_DECLARED aclError
aclrtMemImportFromShareableHandleV2(void* shareableHandle, aclrtMemSharedHandleType shareType,
                                    uint64_t flags, aclrtDrvMemHandle* handle);
POOLPROOF_ACL_DECLARED aclError aclrtMemSetPidToShareableHandle(uint64_t shareableHandle,
                                                                int32_t* pid, size_t pidNum);
POOLPROOF_ACL_DECLARED aclError aclrtMemSetPidToShareableHandleV2(
    void* shareableHandle, aclrtMemSharedHandleType shareType, int32_t* pid, size_t pidNum);
POOLPROOF_ACL_DECLARED aclError aclrtIpcMemGetExportKey(void* devPtr, size_t size, char* key,
                                                        size_t len, uint64_t flags);
POOLPROOF_ACL_DECLARED aclError aclrtIpcMemClose(const char* key);
POOLPROOF_ACL_DECLARED aclError aclrtIpcMemImportByKey(void** devPtr, const char* key,
                                                       uint64_t flags);
POOLPROOF_ACL_DECLARED aclError aclrtIpcMemSetImportPid(const char* key, int32_t* pid, size_t num);
POOLPROOF_ACL_DECLARED aclError aclrtIpcMemSetAttr(const char* key, aclrtIpcMemAttrType type,
                                                   uint64_t attr);
POOLPROOF_ACL_DECLARED aclError aclrtIpcMemImportPidInterServer(const char* key,
                                                                aclrtServerPid* serverPids,
                                                                size_t num);
POOLPROOF_ACL_DECLARED aclError aclrtGetMemUsageInfo(int32_t deviceId,
                                                     aclrtMemUsageInfo* memUsageInfo,
                                                     size_t inputNum, size_t* outputNum);
POOLPROOF_ACL_DECLARED aclError aclrtCheckMemType(void** addrList, uint32_t size, uint32_t memType,
                                                  uint32_t* checkResult, uint32_t reserve);
POOLPROOF_ACL_DECLARED aclError aclrtCmoAsync(void* src, size_t size, aclrtCmoType cmoType,
                                              aclrtStream stream);
POOLPROOF_ACL_DECLARED aclError aclrtCmoAsyncWithBarrier(void* src, size_t size,
                                                         aclrtCmoType cmoType, uint32_t barrierId,
                                                         aclrtStream stream);
POOLPROOF_ACL_DECLARED aclError aclrtCmoWaitBarrier(aclrtBarrierTaskInfo* taskInfo,
                                                    aclrtStream stream, uint32_t flag);
POOLPROOF_ACL_DECLARED aclError aclrtCmoGetDescSize(size_t* size);
POOLPROOF_ACL_DECLARED aclError aclrtCmoSetDesc(void* cmoDesc, void* src, size_t size);
POOLPROOF_ACL_DECLARED aclError aclrtCmoAsyncWithDesc(void* cmoDesc, aclrtCmoType cmoType,
                                                      aclrtStream stream, const void* reserve);
POOLPROOF_ACL_DECLARED aclError aclrtValueWrite(void* devAddr, uint64_t value, uint32_t flag,
                                                aclrtStream stream);
POOLPROOF_ACL_DECLARED aclError aclrtValueWait(void* devAddr, uint64_t value, uint32_t flag,
                                               aclrtStream stream);
POOLPROOF_ACL_DECLARED aclError aclrtAllocBuf(aclrtMbuf* buf, size_t size);
POOLPROOF_ACL_DECLARED aclError aclrtFreeBuf(aclrtMbuf buf);
POOLPROOF_ACL_DECLARED aclError aclrtGetBufData(const aclrtMbuf buf, void** dataPtr, size_t* size);
POOLPROOF_ACL_DECLARED aclError aclrtGetBufDataLen(aclrtMbuf buf, size_t* len);
POOLPROOF_ACL_DECLARED aclError aclrtSetBufDataLen(aclrtMbuf buf, size_t len);
POOLPROOF_ACL_DECLARED aclError aclrtGetBufUserData(const aclrtMbuf buf, void* dataPtr, size_t size,
                                                    size_t offset);
POOLPROOF_ACL_DECLARED aclError aclrtSetBufUserData(aclrtMbuf buf, const void* dataPtr, size_t size,
                                                    size_t offset);
POOLPROOF_ACL_DECLARED aclError aclrtCopyBufRef(const aclrtMbuf buf, aclrtMbuf* newBuf);
POOLPROOF_ACL_DECLARED aclError aclrtAppendBufChain(aclrtMbuf headBuf, aclrtMbuf buf);
POOLPROOF_ACL_DECLARED aclError aclrtGetBufChainNum(aclrtMbuf headBuf, uint32_t* num);
POOLPROOF_ACL_DECLARED aclError aclrtGetBufFromChain(aclrtMbuf headBuf, uint32_t index,
                                                     aclrtMbuf* buf);

// --- Kernels -----------------------------------------------------------------------------------

POOLPROOF_ACL_DECLARED aclrtBinary aclrtCreateBinary(const void* data, size_t dataLen);
POOLPROOF_ACL_DECLARED aclError aclrtDestroyBinary(aclrtBinary binary);
POOLPROOF_ACL_DECLARED aclError aclrtBinaryLoad(const aclrtBinary binary,
                                                aclrtBinHandle* binHandle);
POOLPROOF_ACL_DECLARED aclError aclrtBinaryLoadFromFile(const char* binPath,
                                                        aclrtBinaryLoadOptions* options,
                                                        aclrtBinHandle* binHandle);
POOLPROOF_ACL_DECLARED aclError aclrtBinaryLoadFromData(const void* data, size_t length,
                                                        const aclrtBinaryLoadOptions* options,
                                                        aclrtBinHandle* binHandle);
POOLPROOF_ACL_DECLARED aclError aclrtBinaryUnLoad(aclrtBinHandle binHandle);
POOLPROOF_ACL_DECLARED aclError aclrtBinaryGetDevAddress(const aclrtBinHandle binHandle,
                                                         void** binAddr, size_t* binSize);
POOLPROOF_ACL_DECLARED aclError aclrtBinaryGetFunction(const aclrtBinHandle binHandle,
                                                       const char* kernelName,
                                                       aclrtFuncHandle* funcHandle);
POOLPROOF_ACL_DECLARED aclError aclrtBinaryGetFunctionByEntry(aclrtBinHandle binHandle,
                                                              uint64_t funcEntry,
                                                              aclrtFuncHandle* funcHandle);
POOLPROOF_ACL_DECLARED aclError aclrtBinaryGetFunctionCount(aclrtBinHandle binHandle,
                                                            uint32_t* count);
POOLPROOF_ACL_DECLARED aclError aclrtBinaryGetGlobal(aclrtBinHandle binHandle, const char* name,
                                                     void** dptr, size_t* size);
POOLPROOF_ACL_DECLARED aclError aclrtBinaryEnumerateFunctions(const aclrtBinHandle binHandle,
                                                              aclrtFuncHandle* funcHandles,
                                                              uint32_t numFunctions);
POOLPROOF_ACL_DECLARED aclError aclrtBinarySetExceptionCallback(aclrtBinHandle binHandle,
                                                                aclrtOpExceptionCallback callback,
                                                                void* userData);
POOLPROOF_ACL_DECLARED aclError aclrtRegisterCpuFunc(const aclrtBinHandle handle,
                                                     const char* funcName, const char* kernelName,
                                                     aclrtFuncHandle* funcHandle);
POOLPROOF_ACL_DECLARED aclError aclrtGetFuncBySymbol(const void* symbol,
                                                     aclrtFuncHandle* funcHandle);
POOLPROOF_ACL_DECLARED aclError aclrtGetFunctionAddr(aclrtFuncHandle funcHandle, void** aicAddr,
                                                     void** aivAddr);
POOLPROOF_ACL_DECLARED aclError aclrtGetFunctionSize(aclrtFuncHandle funcHandle, size_t* aicSize,
                                                     size_t* aivSize);
POOLPROOF_ACL_DECLARED aclError aclrtGetFunctionName(aclrtFuncHandle funcHandle, uint32_t maxLen,
                                                     char* name);
POOLPROOF_ACL_DECLARED aclError aclrtGetFunctionAttribute(aclrtFuncHandle funcHandle,
                                                          aclrtFuncAttribute attrType,
                                                          int64_t* attrValue);
POOLPROOF_ACL_DECLARED aclError aclrtFunctionGetBinary(const aclrtFuncHandle funcHandle,
                                                       aclrtBinHandle* binHandle);
POOLPROOF_ACL_DECLARED aclError aclrtFunctionGetParamCount(const void* func, size_t* paramCount);
POOLPROOF_ACL_DECLARED aclError aclrtFunctionGetParamInfo(const void* func, size_t paramIndex,
                                                          size_t* paramOffset, size_t* paramSize);
POOLPROOF_ACL_DECLARED aclError aclrtFunctionGetAvailDynUbufPerBlock(void* func, uint32_t flags,
                                                                     size_t* dynamicUbufSize);
POOLPROOF_ACL_DECLARED aclError aclrtKernelArgsGetHandleMemSize(aclrtFuncHandle funcHandle,
                                                                size_t* memSize);
POOLPROOF_ACL_DECLARED aclError aclrtKernelArgsGetMemSize(aclrtFuncHandle funcHandle,
                                                          size_t userArgsSize,
                                                          size_t* actualArgsSize);
POOLPROOF_ACL_DECLARED aclError aclrtKernelArgsInit(aclrtFuncHandle funcHandle,
                                                    aclrtArgsHandle* argsHandle);
POOLPROOF_ACL_DECLARED aclError aclrtKernelArgsInitByUserMem(aclrtFuncHandle funcHandle,
                                                             aclrtArgsHandle argsHandle,
                                                             void* userHostMem,
                                                             size_t actualArgsSize);
POOLPROOF_ACL_DECLARED aclError aclrtKernelArgsAppend(aclrtArgsHandle argsHandle, void* param,
                                                      size_t paramSize,
                                                      aclrtParamHandle* paramHandle);
POOLPROOF_ACL_DECLARED aclError aclrtKernelArgsAppendPlaceHolder(aclrtArgsHandle argsHandle,
                                                                 aclrtParamHandle* paramHandle);
POOLPROOF_ACL_DECLARED aclError aclrtKernelArgsGetPlaceHolderBuffer(aclrtArgsHandle argsHandle,
                                                                    aclrtParamHandle paramHandle,
                                                                    size_t dataSize,
                                                                    void** bufferAddr);
POOLPROOF_ACL_DECLARED aclError aclrtKernelArgsParaUpdate(aclrtArgsHandle argsHandle,
                                                          aclrtParamHandle paramHandle, void* param,
                                                          size_t paramSize);
POOLPROOF_ACL_DECLARED aclError aclrtKernelArgsFinalize(aclrtArgsHandle argsHandle);
POOLPROOF_ACL_DECLARED aclError aclrtLaunchKernel(aclrtFuncHandle funcHandle, uint32_t numBlocks,
                                                  const void* argsData, size_t argsSize,
                                                  aclrtStream stream);
POOLPROOF_ACL_DECLARED aclError aclrtLaunchKernelV2(aclrtFuncHandle funcHandle, uint32_t numBlocks,
                                                    const void* argsData, size_t argsSize,
                                                    aclrtLaunchKernelCfg* cfg, aclrtStream stream);
POOLPROOF_ACL_DECLARED aclError aclrtLaunchKernelWithConfig(aclrtFuncHandle funcHandle,
                                                            uint32_t numBlocks, aclrtStream stream,
                                                            aclrtLaunchKernelCfg* cfg,
                                                            aclrtArgsHandle argsHandle,
                                                            void* reserve);
POOLPROOF_ACL_DECLARED aclError aclrtLaunchKernelWithHostArgs(
    aclrtFuncHandle funcHandle, uint32_t numBlocks, aclrtStream stream, aclrtLaunchKernelCfg* cfg,
    void* hostArgs, size_t argsSize, aclrtPlaceHolderInfo* placeHolderArray, size_t placeHolderNum);
POOLPROOF_ACL_DECLARED aclError aclrtLaunchKernelWithArgsArray(void* func, uint32_t numBlocks,
                                                               aclrtStream stream,
                                                               aclrtLaunchKernelCfg* cfg,
                                                               void** args);
POOLPROOF_ACL_DECLARED aclError aclrtLaunchSIMTKernelWithArgsArray(
    void* func, struct dim3 gridDim, struct dim3 blockDim, size_t dynUbufSize, aclrtStream stream,
    aclrtLaunchKernelCfg* cfg, void** args);
POOLPROOF_ACL_DECLARED aclError aclrtLaunchSIMTKernelWithHostArgs(
    void* func, struct dim3 gridDim, struct dim3 blockDim, size_t dynUbufSize, aclrtStream stream,
    aclrtLaunchKernelCfg* cfg, void* hostArgs, size_t argsSize,
    aclrtPlaceHolderInfo* placeHolderArray, size_t placeHolderNum);
POOLPROOF_ACL_DECLARED aclError aclrtGetHardwareSyncAddr(void** addr);
POOLPROOF_ACL_DECLARED aclError aclrtRandomNumAsync(const aclrtRandomNumTaskInfo* taskInfo,
                                                    const aclrtStream stream, void* reserve);

// --- Captured models ---------------------------------------------------------------------------

POOLPROOF_ACL_DECLARED aclError aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode mode);
POOLPROOF_ACL_DECLARED aclError aclmdlRICaptureToModelRIBegin(aclrtStream stream, aclmdlRI modelRI,
                                                              aclmdlRICaptureMode mode);
POOLPROOF_ACL_DECLARED aclError aclmdlRICaptureGetInfo(aclrtStream stream,
                                                       aclmdlRICaptureStatus* status,
                                                       aclmdlRI* modelRI);
POOLPROOF_ACL_DECLARED aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI* modelRI);
POOLPROOF_ACL_DECLARED aclError aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode* mode);
POOLPROOF_ACL_DECLARED aclError aclmdlRICaptureTaskGrpBegin(aclrtStream stream);
POOLPROOF_ACL_DECLARED aclError aclmdlRICaptureTaskGrpEnd(aclrtStream stream, aclrtTaskGrp* handle);
POOLPROOF_ACL_DECLARED aclError aclmdlRICaptureTaskUpdateBegin(aclrtStream stream,
                                                               aclrtTaskGrp handle);
POOLPROOF_ACL_DECLARED aclError aclmdlRICaptureTaskUpdateEnd(aclrtStream stream);
POOLPROOF_ACL_DECLARED aclError aclmdlRIBuildBegin(aclmdlRI* modelRI, uint32_t flag);
POOLPROOF_ACL_DECLARED aclError aclmdlRIBindStream(aclmdlRI modelRI, aclrtStream stream,
                                                   uint32_t flag);
POOLPROOF_ACL_DECLARED aclError aclmdlRIUnbindStream(aclmdlRI modelRI, aclrtStream stream);
POOLPROOF_ACL_DECLARED aclError aclmdlRIEndTask(aclmdlRI modelRI, aclrtStream stream);
POOLPROOF_ACL_DECLARED aclError aclmdlRIBuildEnd(aclmdlRI modelRI, void* reserve);
POOLPROOF_ACL_DECLARED aclError aclmdlRIUpdate(aclmdlRI modelRI);
POOLPROOF_ACL_DECLARED aclError aclmdlRIExecute(aclmdlRI modelRI, int32_t timeout);
POOLPROOF_ACL_DECLARED aclError aclmdlRIExecuteAsync(aclmdlRI modelRI, aclrtStream stream);
POOLPROOF_ACL_DECLARED aclError aclmdlRIAbort(aclmdlRI modelRI);
POOLPROOF_ACL_DECLARED aclError aclmdlRIDestroy(aclmdlRI modelRI);
POOLPROOF_ACL_DECLARED aclError aclmdlRIDestroyRegisterCallback(aclmdlRI modelRI,
                                                                aclrtCallback func, void* userData);
POOLPROOF_ACL_DECLARED aclError aclmdlRIDestroyUnregisterCallback(aclmdlRI modelRI,
                                                                  aclrtCallback func);
POOLPROOF_ACL_DECLARED aclError aclmdlRISetName(aclmdlRI modelRI, const char* name);
POOLPROOF_ACL_DECLARED aclError aclmdlRIGetName(aclmdlRI modelRI, uint32_t maxLen, char* name);
POOLPROOF_ACL_DECLARED aclError aclmdlRIGetId(aclmdlRI modelRI, uint32_t* modelRIId);
POOLPROOF_ACL_DECLARED aclError aclmdlRIGetStreams(aclmdlRI modelRI, aclrtStream* streams,
                                                   uint32_t* numStreams);
POOLPROOF_ACL_DECLARED aclError aclmdlRIGetTasksByStream(aclrtStream stream, aclmdlRITask* tasks,
                                                         uint32_t* numTasks);
POOLPROOF_ACL_DECLARED aclError aclmdlRITaskGetType(aclmdlRITask task, aclmdlRITaskType* type);
POOLPROOF_ACL_DECLARED aclError aclmdlRITaskGetSeqId(aclmdlRITask task, uint32_t* id);
POOLPROOF_ACL_DECLARED aclError aclmdlRITaskGetParams(aclmdlRITask task,
                                                      aclmdlRITaskParams* params);
POOLPROOF_ACL_DECLARED aclError aclmdlRITaskSetParams(aclmdlRITask task,
                                                      aclmdlRITaskParams* params);
POOLPROOF_ACL_DECLARED aclError aclmdlRITaskDisable(aclmdlRITask task);
POOLPROOF_ACL_DECLARED aclError aclmdlRIKernelTaskGetAttribute(
    aclmdlRITask task, aclrtLaunchKernelAttrId attrId, aclrtLaunchKernelAttrValue* attrValue);
POOLPROOF_ACL_DECLARED aclError aclmdlRICondHandleCreate(aclmdlRI modelRI,
                                                         uint32_t defaultLaunchValue,
                                                         aclmdlRICondHandleFlag flag,
                                                         aclmdlRICondHandle* handle);
POOLPROOF_ACL_DECLARED aclError aclmdlRICondHandleGetCondPtr(aclmdlRICondHandle handle,
                                                             uint64_t** ptr);
POOLPROOF_ACL_DECLARED aclError aclmdlRIAddCondTask(aclmdlRICondTaskParams params,
                                                    aclrtStream stream, uint32_t flags);
POOLPROOF_ACL_DECLARED aclError aclmdlRIDebugPrint(aclmdlRI modelRI);
POOLPROOF_ACL_DECLARED aclError aclmdlRIDebugJsonPrint(aclmdlRI modelRI, const char* path,
                                                       uint32_t flags);
POOLPROOF_ACL_DECLARED aclError aclmdlInitDump(void);
POOLPROOF_ACL_DECLARED aclError aclmdlSetDump(const char* dumpCfgPath);
POOLPROOF_ACL_DECLARED aclError aclmdlFinalizeDump(void);

#if defined(__cplusplus)
}
#endif

#endif  // POOLPROOF_INCLUDE_ACL_ACL_RT_NOT_OFFERED_H_
